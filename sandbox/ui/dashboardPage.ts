import { html } from 'hono/html';
import { endpoints } from '../../shared/contract';
import { htmlPage } from '../../ui/server/htmlPage';

/** The values that a program needs to reach the API, and the wallet's currency. */
export interface Access {
	/** With a slash at the end. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** ISO code, such as GHS. */
	readonly currency: string;
}

/** Writes the dashboard's page. Without scripts it shows the connection details. */
export function dashboardPage({ baseUrl, apiKey, currency }: Access) {
	return htmlPage({
		page: 'dashboard',
		title: 'Messaging Service sandbox',
		data: {
			'base-url': baseUrl,
			'api-key': apiKey,
			currency,
			endpoints: JSON.stringify(endpoints.map(({ id, summary }) => ({ id, summary }))),
		},
		content: html`<main id="main">
			<h1>Messaging Service sandbox</h1>
			<section class="card">
				<h2>Connection details</h2>
				<p>
					Base URL <code>${baseUrl}</code><br />API key <code>${apiKey}</code><br /><a href="/phone">Simulated phone</a
					><br /><a href="/docs">API</a>
				</p>
				<noscript><p>The rest of this page needs JavaScript.</p></noscript>
			</section>
		</main>`,
	});
}
