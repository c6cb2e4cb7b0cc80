import { render } from 'preact';
import { createLive } from '../../../ui/live';
import '../../../ui/theme.css';
import '../../../ui/components.css';
import '../../../ui/status.css';
import '../../../ui/frame.css';
import './dashboard.css';
import { App } from './App';

const root = document.getElementById('app');
if (!root) throw new Error('The page has no element #app.');
// Replaces the connection details, which are for browsers without scripts.
root.replaceChildren();
render(<App live={createLive('/_sandbox/events')} />, root);
