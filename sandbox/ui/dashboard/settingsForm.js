import { control } from './call.js';
import { form, values } from './form.js';
import { make } from './make.js';
import { showToast } from './toast.js';

/**
 * Makes a form for some of the sandbox's settings. Unsaved input is never overwritten by changes from elsewhere.
 * @param {readonly ReturnType<typeof import('./form.js').field>[]} fields
 * @param {string} [action]
 */
export function settingsForm(fields, action = 'Save') {
	const touched = new Set();
	const unsaved = make('span', { class: 'unsaved', hidden: true }, 'Not saved yet');
	for (const one of fields) {
		one.input.addEventListener('input', () => {
			touched.add(one);
			unsaved.hidden = false;
		});
	}
	const { element } = form({
		fields,
		action,
		keep: true,
		more: [unsaved],
		submit: async () => {
			const sent = fields.filter((one) => touched.has(one));
			const before = new Map(sent.map((one) => [one, JSON.stringify(one.read())]));
			const settings = await control('PUT', 'settings', values(sent));
			for (const one of sent) if (JSON.stringify(one.read()) === before.get(one)) touched.delete(one);
			unsaved.hidden = touched.size === 0;
			show(settings);
			showToast('Saved');
		},
	});

	function show(settings) {
		for (const one of fields) if (!touched.has(one)) one.write(settings[one.name]);
	}
	return { element, show };
}
