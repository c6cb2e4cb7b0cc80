const line = document.getElementById('toast');
let ending;

/** Reports a finished action for six seconds. Screen readers read it out. */
export function showToast(text) {
	clearTimeout(ending);
	line.textContent = text;
	line.dataset.shown = 'true';
	ending = setTimeout(() => {
		line.dataset.shown = 'false';
		line.textContent = '';
	}, 6000);
}
