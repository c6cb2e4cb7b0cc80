import { html } from 'hono/html';
import { endpoints } from '../../shared/contract';

/** The values that a program needs to reach the API, and the wallet's currency. */
export interface Access {
	/** With a slash at the end. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** ISO code, such as GHS. */
	readonly currency: string;
}

/** The sections by group. Each has a name, a title and the path of its icon on a grid of 24 by 24. */
const navigation = [
	{ title: '', links: [['overview', 'Overview', 'M4 13h6V4H4zm0 7h6v-4H4zm10 0h6v-9h-6zm0-16v4h6V4z']] },
	{
		title: 'Messages',
		links: [
			['messages', 'Messages', 'M4 5h16v11H9l-5 4z'],
			['phone', 'Phone', 'M7 3h10v18H7zM11 18h2'],
			['inbox', 'Inbox', 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5'],
			['opt-outs', 'Opt-outs', 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M6.5 6.5l11 11'],
			['sender-ids', 'Sender IDs', 'M4 6h16v12H4zM8 14h4M8 10h8'],
			['contacts', 'Contacts', 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M5 20c0-4 3-6 7-6s7 2 7 6'],
		],
	},
	{
		title: 'Money',
		links: [
			['transactions', 'Transactions', 'M4 8h14l-3-3M20 16H6l3 3'],
			['top-ups', 'Top-ups', 'M4 7h16v12H4zM4 11h16M8 15h3'],
		],
	},
	{
		title: 'Connect',
		links: [
			['keys', 'Keys', 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8M11 12l9-8M16 7l3 3'],
			['callbacks', 'Callbacks', 'M5 12h10l-4-4M11 16l4-4M19 5v14'],
		],
	},
	{
		title: 'Test',
		links: [
			['magic-values', 'Magic values', 'M12 4l2.2 5.8L20 12l-5.8 2.2L12 20l-2.2-5.8L4 12l5.8-2.2z'],
			['faults', 'Faults', 'M12 4l9 16H3zM12 10v4M12 17v.5'],
			['clock', 'Clock', 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2'],
			['settings', 'Settings', 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4'],
		],
	},
] as const;

/**
 * Writes the dashboard's page: the frame that its scripts fill. Without scripts it shows the connection details.
 * Values are escaped.
 */
export function dashboardPage({ baseUrl, apiKey, currency }: Access) {
	const calls = JSON.stringify(endpoints.map(({ id, summary }) => ({ id, summary })));
	const groups = navigation.map(
		({ title, links }) =>
			html`${title && html`<h2>${title}</h2>`}
				<ul>
					${links.map(
						([name, label, icon]) =>
							html`<li>
								<a href="/#/${name}">
									<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}" /></svg>${label}
								</a>
							</li>`,
					)}
				</ul>`,
	);
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>Messaging Service sandbox</title>
				<link rel="icon" href="/ui/icon.svg" />
				<link rel="stylesheet" href="/ui/theme.css" />
				<link rel="stylesheet" href="/ui/dashboard/dashboard.css" />
				<script type="module" src="/ui/dashboard/start.js"></script>
			</head>
			<body data-base-url="${baseUrl}" data-api-key="${apiKey}" data-currency="${currency}" data-endpoints="${calls}">
				<a id="skip" href="/#/overview">Skip to the content</a>
				<header id="top">
					<a class="brand" href="/#/overview">
						<img src="/ui/icon.svg" alt="" /><span><strong>Messaging Service</strong><small>Sandbox</small></span>
					</a>
					<p id="connection" role="status" data-state="connecting">Connecting…</p>
					<button id="menu" type="button" aria-expanded="false" aria-controls="navigation">Menu</button>
				</header>
				<nav id="navigation" aria-label="Sections">${groups}</nav>
				<main id="main" tabindex="-1">
					<h1 id="title" tabindex="-1">Messaging Service sandbox</h1>
					<p id="problem" class="problem" role="alert" hidden></p>
					<div id="view"></div>
					<section id="noscript-access" class="card">
						<h2>Connection details</h2>
						<p>
							Base URL <code>${baseUrl}</code><br />API key <code>${apiKey}</code><br /><a href="/phone"
								>Simulated phone</a
							>
						</p>
						<noscript><p>The rest of this page needs JavaScript.</p></noscript>
					</section>
				</main>
				<p id="toast" role="status"></p>
			</body>
		</html>`;
}
