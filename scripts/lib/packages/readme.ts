/** Where the files of the repository can be read, such as `https://github.com/owner/name`. */
export interface ReadmePlace {
	/** Undefined while the repository has no public address. */
	readonly repository: string | undefined;
	/** The folder of the README in the repository. */
	readonly folder: string;
}

/**
 * Adapts a README of the repository to npm, which has no other files of it. Links to files lead to the repository. Without
 * its address, their text stays without a link, and pictures are left out.
 */
export function npmReadme(markdown: string, { repository, folder }: ReadmePlace): string {
	const address = (target: string, kind: 'blob' | 'raw') => {
		const { pathname, hash } = new URL(target, `file:///${folder}/README.md`);
		return `${repository ?? ''}/${kind}/main${pathname}${hash}`;
	};
	// Code may have the same signs, so it is kept as it is.
	return markdown
		.split(/(^```[\s\S]*?^```|`[^`\n]*`)/m)
		.map((part, index) => (index % 2 === 1 ? part : adaptLinks(part, repository === undefined ? undefined : address)))
		.join('')
		.replace(/\n{3,}/g, '\n\n');
}

function adaptLinks(text: string, address: ((target: string, kind: 'blob' | 'raw') => string) | undefined): string {
	return text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture: string, label: string, target: string) => {
		if (/^(https?:|mailto:|#)/.test(target)) return whole;
		if (address) return `${picture}[${label}](${address(target, picture === '' ? 'blob' : 'raw')})`;
		return picture === '' ? label : '';
	});
}
