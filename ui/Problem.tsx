/** Shows an error message, if there is one. Screen readers read it out. */
export function Problem({ text, id }: { readonly text: string; readonly id?: string }) {
	return (
		<p class="problem" role="alert" id={id} hidden={text === ''}>
			{text}
		</p>
	);
}
