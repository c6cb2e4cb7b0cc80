import { html } from 'hono/html';
import { htmlPage } from '../../ui/server/htmlPage';
import type { Access } from './dashboardPage';

const needsScript = html`<noscript><p>This page needs JavaScript.</p></noscript>`;

/** Writes the page of the simulated phone. */
export function phonePage() {
	return htmlPage({ page: 'phone', title: 'Phone · Messaging Service sandbox', content: needsScript });
}

/** Writes the page that describes the API. It needs the base URL and a key for its examples. */
export function docsPage({ baseUrl, apiKey }: Pick<Access, 'baseUrl' | 'apiKey'>) {
	return htmlPage({
		page: 'docs',
		title: 'API · Messaging Service sandbox',
		data: { 'base-url': baseUrl, 'api-key': apiKey },
		content: html`<main>
			<h1>API of the service</h1>
			<noscript
				><p>This page needs JavaScript. Without it, read the <a href="/openapi.json">OpenAPI document</a>.</p></noscript
			>
		</main>`,
	});
}

/** Writes the checkout page of a top-up. */
export function checkoutPage() {
	return htmlPage({ page: 'checkout', title: 'Checkout · Messaging Service sandbox', content: needsScript });
}
