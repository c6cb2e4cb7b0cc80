import { html } from 'hono/html';

/** What somebody needs to reach the API. */
export interface Access {
	/** With a slash at the end. */
	readonly baseUrl: string;
	readonly apiKey: string;
}

/** Writes the home page: what this is, how to reach the API, and where the phone is. Values are escaped. */
export function homePage({ baseUrl, apiKey }: Access) {
	const text = JSON.stringify({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open from 8 to 18.' });
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>Messaging Service sandbox</title>
				<link rel="icon" href="/ui/icon.svg" />
				<link rel="stylesheet" href="/ui/theme.css" />
				<link rel="stylesheet" href="/ui/home.css" />
			</head>
			<body>
				<main>
					<div class="brand">
						<img src="/ui/icon.svg" alt="" />
						<h1>Messaging Service sandbox</h1>
					</div>
					<p class="lead">
						The messaging service on your own machine: no account, no real texts, no real money. What you send arrives
						on the phone here.
					</p>
					<section class="card" aria-labelledby="access">
						<h2 id="access">Connect to it</h2>
						<dl>
							<dt>Base URL</dt>
							<dd><code id="base-url">${baseUrl}</code></dd>
							<dt>API key</dt>
							<dd><code id="api-key">${apiKey}</code></dd>
						</dl>
					</section>
					<section class="card" aria-labelledby="phone">
						<h2 id="phone">Text with it</h2>
						<p>A phone to read what arrives, to text back, and to text STOP.</p>
						<a class="button" href="/phone">Open the phone</a>
					</section>
					<section class="card" aria-labelledby="try">
						<h2 id="try">Send a first message</h2>
						<pre><code>curl ${baseUrl}sms/send \\
  -H 'X-API-Key: ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '${text}'</code></pre>
					</section>
					<section class="card" aria-labelledby="look">
						<h2 id="look">Look inside</h2>
						<ul class="links">
							<li><a href="/_sandbox/messages">Messages</a></li>
							<li><a href="/_sandbox/wallet">Wallet</a></li>
							<li><a href="/_sandbox/inbox">Inbox</a></li>
							<li><a href="/_sandbox/opt-outs">Opt-outs</a></li>
							<li><a href="/_sandbox/magic-values">Magic values</a></li>
							<li><a href="/_sandbox/requests">Requests</a></li>
							<li><a href="/_sandbox/faults">Faults</a></li>
							<li><a href="/_sandbox/settings">Settings</a></li>
						</ul>
					</section>
				</main>
			</body>
		</html>`;
}
