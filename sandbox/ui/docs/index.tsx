import { render } from 'preact';
import '../../../ui/theme.css';
import '../../../ui/components.css';
import '../../../ui/status.css';
import './docs.css';
import { Docs } from './Docs';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element #app.');
root.replaceChildren();
render(<Docs />, root);
