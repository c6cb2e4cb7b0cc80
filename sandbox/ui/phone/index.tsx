import { render } from 'preact';
import '../../../ui/theme.css';
import '../../../ui/status.css';
import './phone.css';
import { Phone } from './Phone';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element #app.');
root.replaceChildren();
render(<Phone />, root);
