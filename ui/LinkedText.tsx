/** A web address in a text, without the punctuation that ends the sentence. */
const LINK = /(https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]])/;

/** Shows a text in which web addresses are links that open a new tab. */
export function LinkedText({ text }: { readonly text: string }) {
	// With a group in the pattern, every second part is a match.
	const parts = text.split(LINK);
	return (
		<>
			{parts.map((part, index) =>
				index % 2 === 0 ? (
					part
				) : (
					<a key={index} href={part} target="_blank" rel="noreferrer noopener">
						{part}
					</a>
				),
			)}
		</>
	);
}
