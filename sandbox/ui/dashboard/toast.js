const line = document.getElementById('news');
let ending;

/** Tells that something was done: shown for a while, and read out by a screen reader. */
export function tellNews(text) {
	clearTimeout(ending);
	line.textContent = text;
	line.dataset.shown = 'true';
	ending = setTimeout(() => {
		line.dataset.shown = 'false';
		line.textContent = '';
	}, 6000);
}
