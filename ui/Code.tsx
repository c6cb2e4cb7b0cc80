/** A block of code. It can have the focus, because it may scroll. */
export function Code({ text, name }: { readonly text: string; readonly name: string }) {
	return (
		<pre tabIndex={0} role="region" aria-label={name}>
			<code>{text}</code>
		</pre>
	);
}

/** Formats a body for display: JSON with line breaks, a form as one field on each line, anything else unchanged. */
export function formatBody(body: string, contentType: string): string {
	try {
		if (contentType.includes('json')) return JSON.stringify(JSON.parse(body), null, 2);
	} catch {
		return body;
	}
	if (!contentType.includes('form')) return body;
	return [...new URLSearchParams(body)].map(([name, value]) => `${name} = ${value}`).join('\n');
}
