import { html } from 'hono/html';
import { htmlPage } from '../../ui/server/htmlPage';

const needsScript = html`<noscript><p>This page needs JavaScript.</p></noscript>`;

/** Writes the page of the simulated phone. */
export function phonePage() {
	return htmlPage({ page: 'phone', title: 'Phone · Messaging Service sandbox', content: needsScript });
}

/** Writes the checkout page of a top-up. */
export function checkoutPage() {
	return htmlPage({ page: 'checkout', title: 'Checkout · Messaging Service sandbox', content: needsScript });
}
