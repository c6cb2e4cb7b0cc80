import { make, newId, setText } from './make.js';
import { problemLine } from './problem.js';

/**
 * One field of a form: its `name` in the request, its `label` and its `kind`. A kind is text, tel, number, url, area,
 * lines (a list), select, check or datetime. `options` of a select are `[value, label, group?]`. `empty` is the value of an
 * empty field, which is left out by default.
 * @typedef {{name: string, label: string, kind?: string, hint?: string | Node, options?: readonly (readonly string[])[],
 * value?: any, required?: boolean, empty?: null, attributes?: Record<string, unknown>, wide?: boolean}} Field
 */

/**
 * Makes a field with its label, its hint and a line for its error.
 * @param {Field} field
 */
export function field({ name, label, kind = 'text', hint, options = [], value, required = false, empty, ...rest }) {
	const id = newId(name);
	const hintId = `${id}-hint`;
	const problemId = `${id}-problem`;
	const problem = make('p', { class: 'problem', id: problemId, hidden: true });
	const common = {
		id,
		name,
		required,
		'aria-describedby': hint ? `${hintId} ${problemId}` : problemId,
		autocomplete: 'off',
		...rest.attributes,
	};
	const input = makeInput(kind, common, options);
	if (value !== undefined) write(value);
	const hintLine = hint ? make('p', { class: 'hint', id: hintId }, hint) : null;
	const labelLine = make('label', { for: id }, label);
	const element =
		kind === 'check'
			? make('div', { class: 'field check' }, make('div', { class: 'check-line' }, input, labelLine), hintLine, problem)
			: make('div', { class: rest.wide ? 'field wide' : 'field' }, labelLine, input, hintLine, problem);

	function write(to) {
		if (kind === 'check') input.checked = to === true;
		else if (Array.isArray(to)) input.value = to.join('\n');
		else input.value = to === null || to === undefined ? '' : String(to);
	}

	function read() {
		if (kind === 'check') return input.checked;
		if (kind === 'lines') return linesOf(input.value);
		if (kind === 'area') return input.value === '' ? empty : input.value;
		const text = input.value.trim();
		if (text === '') return empty;
		return kind === 'number' ? Number(text) : text;
	}

	function say(text) {
		setText(problem, text);
		problem.hidden = text === '';
		if (text) input.setAttribute('aria-invalid', 'true');
		else input.removeAttribute('aria-invalid');
	}
	input.addEventListener('input', () => say(''));
	return { name, label, element, input, read, write, say, labelLine };
}

/** Makes the options of a select, under the heading of their group if they have one. */
export function makeOptions(options) {
	const groups = Map.groupBy(options, ([, , group]) => group ?? '');
	return [...groups].flatMap(([label, members]) => {
		const made = members.map(([value, text]) => make('option', { value }, text));
		return label === '' ? made : [make('optgroup', { label }, ...made)];
	});
}

function makeInput(kind, attributes, options) {
	if (kind === 'area') return make('textarea', { rows: 3, ...attributes });
	if (kind === 'lines') return make('textarea', { rows: 2, spellcheck: 'false', ...attributes });
	if (kind === 'select') {
		return make('select', attributes, ...makeOptions(options));
	}
	const types = { number: 'number', tel: 'tel', url: 'url', check: 'checkbox', datetime: 'datetime-local' };
	const plain = { type: types[kind] ?? 'text', spellcheck: 'false' };
	if (kind === 'number') Object.assign(plain, { step: 'any', inputmode: 'decimal' });
	return make('input', { ...plain, ...attributes });
}

/**
 * Makes a form. It keeps the input until the request succeeds, and shows each error beside its field.
 * @param {object} options
 * @param {readonly ReturnType<typeof field>[]} options.fields
 * @param {string} options.action label of the button
 * @param {(values: Record<string, any>) => Promise<unknown>} options.submit
 * @param {boolean} [options.keep] keeps the input after the request succeeds, too
 * @param {readonly Node[]} [options.more] further buttons
 * @param {'grid' | 'line'} [options.layout] `line` for one field with its button beside it
 */
export function form({ fields, action, submit, keep = false, more = [], layout = 'grid' }) {
	const { element: problem, say } = problemLine();
	const button = make('button', { type: 'submit', class: 'primary' }, action);
	const element = make(
		'form',
		{ class: `form ${layout}`, novalidate: true },
		...fields.map((one) => one.element),
		make('div', { class: 'buttons' }, button, ...more),
		problem,
	);
	let busy = false;

	element.addEventListener('submit', async (event) => {
		event.preventDefault();
		if (busy) return;
		say('');
		for (const one of fields) one.say('');
		const shown = fields.filter((one) => !one.element.hidden);
		const invalid = shown.filter((one) => !validate(one));
		if (invalid.length > 0) {
			invalid[0].input.focus();
			return;
		}
		busy = true;
		button.setAttribute('aria-disabled', 'true');
		const submitted = shown.map((one) => [one, snapshot(one)]);
		try {
			await submit(values(shown));
			// Keep fields that the user has changed since.
			if (!keep) for (const [one, before] of submitted) if (snapshot(one) === before) reset(one);
		} catch (error) {
			showErrors(error.message, shown, say);
		} finally {
			busy = false;
			button.removeAttribute('aria-disabled');
		}
	});
	return { element, say };
}

function linesOf(text) {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

function snapshot({ input }) {
	return input.type === 'checkbox' ? input.checked : input.value;
}

function reset({ input }) {
	if (input.type === 'checkbox') input.checked = input.defaultChecked;
	else if (input.tagName !== 'SELECT') input.value = input.defaultValue;
}

/** Shows a field's error, if its value is not valid. @returns whether it is valid */
function validate(one) {
	const { input } = one;
	if (input.validity.valid) return true;
	if (input.validity.valueMissing) one.say('This field is empty. Fill it in.');
	else if (input.validity.badInput) one.say('This is not a number. Enter digits.');
	else one.say(input.validationMessage);
	return false;
}

/** Returns the values of fields by name, without fields that are left out. */
export function values(fields) {
	return Object.fromEntries(fields.map((one) => [one.name, one.read()]).filter(([, value]) => value !== undefined));
}

/** Shows each part of an error message beside the field that it names, and the rest below the form. */
function showErrors(message, fields, say) {
	const rest = message.split('; ').filter((part) => {
		const about = fields.find(({ name }) => new RegExp(`^${name}[ :.]`).test(part));
		// The message names an item of a list by its index, counted from 0.
		const detail = part.slice(about?.name.length).replace(/^\.(\d+)/, (_all, index) => `, line ${Number(index) + 1},`);
		about?.say(about.label + detail);
		return about === undefined;
	});
	const first = fields.find(({ input }) => input.getAttribute('aria-invalid') === 'true');
	say(rest.join('; '));
	first?.input.focus();
}
