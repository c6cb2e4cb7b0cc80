import { render } from 'preact';
import '../../../ui/theme.css';
import '../../../ui/status.css';
import './checkout.css';
import { Checkout } from './Checkout';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element #app.');
root.replaceChildren();
render(<Checkout />, root);
