import { html } from 'hono/html';

type Html = ReturnType<typeof html>;

/** Parts of an HTML page. */
export interface PageParts {
	/** Name of the folder with the page's `index.tsx`. */
	readonly page: string;
	readonly title: string;
	/** Path of the server's root from the page, with a slash at the end. Default: `/`. */
	readonly root?: string;
	/** Values that the script reads from the body's `data-…` attributes, by their names with hyphens. */
	readonly data?: Readonly<Record<string, string>>;
	/** Shown without scripts, and until the script replaces it. */
	readonly content: Html;
}

/** Writes the HTML of a page. Its script fills `#app`. Values are escaped. */
export function htmlPage({ page, title, root = '/', data = {}, content }: PageParts): Html {
	const attributes = Object.entries(data).map(([name, value]) => html`data-${name}="${value}" `);
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
				<title>${title}</title>
				<link rel="icon" href="${root}ui/icon.svg" />
				<link rel="stylesheet" href="${root}ui/${page}.css" />
				<script type="module" src="${root}ui/${page}.js"></script>
			</head>
			<body ${attributes}>
				<div id="app">${content}</div>
			</body>
		</html>`;
}
