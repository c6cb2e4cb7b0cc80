import { join } from 'node:path';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { htmlPage } from '../../ui/server/htmlPage';
import { createPageFiles, PAGE_HEADERS } from '../../ui/server/pageFiles';

const readPageFile = createPageFiles(join(__dirname, '..', 'ui'));

/** The relay's page at `/`, and its scripts and styles below `/ui`. They have no data of the relay. */
export function createPages(): Hono {
	const app = new Hono();
	app.get('/', (c) => c.html(page(), 200, PAGE_HEADERS));
	app.get('/ui/:file', async (c) => {
		const file = await readPageFile(c.req.param('file'));
		return file ? c.body(file.content, 200, file.headers) : c.notFound();
	});
	return app;
}

function page() {
	return htmlPage({
		page: 'page',
		// A proxy may put the relay below a path.
		root: './',
		title: 'Messaging Service relay',
		content: html`<main>
			<h1>Messaging Service relay</h1>
			<noscript><p>This page needs JavaScript. Without it, use the API below /v1.</p></noscript>
		</main>`,
	});
}
