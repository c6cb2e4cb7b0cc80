/**
 * Makes the anchor that GitHub gives a heading, so the same link works on GitHub and on the site.
 *
 * @param heading its text, without Markdown
 * @returns the anchor without `#`. GitHub adds `-1` to the second of the same name, the caller does that
 */
export function githubSlug(heading: string): string {
	return heading
		.trim()
		.toLowerCase()
		.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
		.replace(/\s/g, '-');
}
