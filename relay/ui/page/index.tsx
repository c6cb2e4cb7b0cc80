import { render } from 'preact';
import '../../../ui/theme.css';
import '../../../ui/components.css';
import '../../../ui/status.css';
import '../../../ui/frame.css';
import './page.css';
import { App } from './App';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element #app.');
// Replaces the note for browsers without scripts.
root.replaceChildren();
render(<App />, root);
