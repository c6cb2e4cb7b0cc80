import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 6000;
let show: (text: string) => void = () => {};

/** Reports a finished action for six seconds. Screen readers read it out. The page needs a {@link Toast}. */
export function showToast(text: string): void {
	show(text);
}

/** The line that {@link showToast} fills. Each page has one. */
export function Toast() {
	const [toast, setToast] = useState({ text: '' });
	useEffect(() => {
		show = (text) => setToast({ text });
		return () => {
			show = () => {};
		};
	}, []);
	useEffect(() => {
		if (toast.text === '') return undefined;
		const ending = setTimeout(() => setToast({ text: '' }), SHOWN_MS);
		return () => clearTimeout(ending);
	}, [toast]);
	return (
		<p id="toast" role="status" data-shown={String(toast.text !== '')}>
			{toast.text}
		</p>
	);
}
