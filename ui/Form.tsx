import { type ComponentChildren, createContext, type TargetedKeyboardEvent, type TargetedSubmitEvent } from 'preact';
import { useContext, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem } from './Problem';
import { errorMessage } from './request';

/** The value of a field in a request. Undefined leaves it out. */
export type FieldValue = string | number | boolean | readonly string[] | null | undefined;

/** The values of a form by the names of its fields, without fields that are left out. */
export type FormValues = Readonly<Record<string, FieldValue>>;

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A field as its form sees it. */
interface Control {
	readonly name: string;
	readonly label: string;
	readonly input: Input;
	readonly read: () => FieldValue;
	readonly reset: () => void;
	/** Shows an error beside the field, or removes it. */
	readonly say: (problem: string) => void;
}

interface FormState {
	/** Adds a field. @returns a function that removes it */
	add(control: Control): () => void;
	/** Called when the user changes a field. */
	touch(name: string): void;
	/** Whether the field has unsaved input, which must not be overwritten. */
	isUnsaved(name: string): boolean;
}

const FormContext = createContext<FormState | undefined>(undefined);

/** Properties of {@link Form}. */
export interface FormProps {
	/** Label of the button. */
	readonly action: string;
	/** Sends the values. An error is shown at the fields that its message names, the rest of it below the form. */
	readonly submit: (values: FormValues) => Promise<unknown>;
	/** Keeps the input after the request succeeds, too. */
	readonly keep?: boolean;
	/** Sends only changed fields, and never overwrites unsaved input with a new `value` of the field. */
	readonly onlyChanges?: boolean;
	/** `line` for one field with its button beside it. */
	readonly layout?: 'grid' | 'line';
	/** The {@link Field}s. */
	readonly children: ComponentChildren;
}

/** A form. It keeps the input until the request succeeds, and shows each error beside its field. */
export function Form({ action, submit, keep, onlyChanges, layout = 'grid', children }: FormProps) {
	const form = useRef<HTMLFormElement>(null);
	const controls = useRef(new Map<string, Control>());
	const touched = useRef(new Set<string>());
	const [unsaved, setUnsaved] = useState(false);
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState('');
	const state = useMemo<FormState>(
		() => ({
			add: (control) => {
				controls.current.set(control.name, control);
				return () => controls.current.delete(control.name);
			},
			touch: (name) => {
				touched.current.add(name);
				setUnsaved(true);
			},
			isUnsaved: (name) => onlyChanges === true && touched.current.has(name),
		}),
		[onlyChanges],
	);

	/** Returns the fields in the order of the page. */
	function shown(): Control[] {
		const elements = [...(form.current?.elements ?? [])];
		const all = [...controls.current.values()].filter(({ input }) => input.checkVisibility());
		return all.sort((one, other) => elements.indexOf(one.input) - elements.indexOf(other.input));
	}

	async function send(): Promise<void> {
		setProblem('');
		for (const one of controls.current.values()) one.say('');
		const fields = shown();
		const [invalid] = fields.filter((one) => !validate(one));
		if (invalid) {
			invalid.input.focus();
			return;
		}
		const sent = onlyChanges ? fields.filter(({ name }) => touched.current.has(name)) : fields;
		const before = new Map(sent.map((one) => [one, snapshot(one)]));
		setBusy(true);
		try {
			await submit(valuesOf(sent));
			// Keep fields that the user has changed since.
			for (const one of sent.filter((field) => snapshot(field) === before.get(field))) {
				touched.current.delete(one.name);
				if (!keep) one.reset();
			}
			setUnsaved(touched.current.size > 0);
		} catch (error) {
			setProblem(showErrors(errorMessage(error), fields));
		} finally {
			setBusy(false);
		}
	}

	function handleSubmit(event: TargetedSubmitEvent<HTMLFormElement>): void {
		event.preventDefault();
		if (!busy) void send();
	}
	return (
		<FormContext.Provider value={state}>
			<form ref={form} class={`form ${layout}`} noValidate onSubmit={handleSubmit}>
				{children}
				<div class="buttons">
					<button type="submit" class="primary" aria-disabled={busy}>
						{action}
					</button>
					{onlyChanges && (
						<span class="unsaved" hidden={!unsaved}>
							Not saved yet
						</span>
					)}
				</div>
				<Problem text={problem} />
			</form>
		</FormContext.Provider>
	);
}

/** An option of a select. Options with the same group are listed below its name. */
export interface Option {
	readonly value: string;
	readonly label: string;
	readonly group?: string;
}

/** Properties of {@link Field}. */
export interface FieldProps {
	/** Name in the request. */
	readonly name: string;
	readonly label: string;
	/**
	 * `lines` is a list, one item on each line. `longUrl` shows a whole URL in several lines. `secret` hides its
	 * characters.
	 */
	readonly kind?:
		| 'text'
		| 'secret'
		| 'search'
		| 'tel'
		| 'number'
		| 'longUrl'
		| 'area'
		| 'lines'
		| 'select'
		| 'check'
		| 'datetime';
	readonly hint?: ComponentChildren;
	/** Options of a select. */
	readonly options?: readonly Option[];
	/** Shown at first and after each change of it. */
	readonly value?: FieldValue;
	/** Value of an empty field. By default it is left out. */
	readonly empty?: null;
	/** Takes the whole width of the form. */
	readonly wide?: boolean;
	readonly required?: boolean;
	readonly min?: number;
	readonly max?: number;
	readonly step?: number;
	readonly maxLength?: number;
	readonly placeholder?: string;
	readonly inputMode?: 'email' | 'decimal';
	/** Called with the text of the field when the user changes it. */
	readonly onInput?: (text: string) => void;
	/** An error from outside the form, shown beside the field. */
	readonly problem?: string;
}

const TYPES = {
	number: 'number',
	tel: 'tel',
	search: 'search',
	check: 'checkbox',
	datetime: 'datetime-local',
	secret: 'password',
};

/** A field with its label, its hint and a line for its error. Its form reads it. */
export function Field(props: FieldProps) {
	const { name, label, kind = 'text', hint, options = [], value, empty, wide, onInput, ...attributes } = props;
	const id = `${name}-${useId()}`;
	const form = useContext(FormContext);
	const input = useRef<Input | null>(null);
	const [own, setOwn] = useState('');
	const problem = own || (attributes.problem ?? '');

	const latest = useRef(props);
	latest.current = props;
	useLayoutEffect(() => {
		const element = input.current;
		if (!element || !form) return undefined;
		return form.add({
			name,
			label,
			input: element,
			read: () => readInput(element, kind, empty),
			reset: () => {
				if (kind !== 'select') write(element, latest.current.value);
			},
			say: setOwn,
		});
	}, [form, name, label, kind, empty]);
	const text = toText(value);
	useLayoutEffect(() => {
		if (value !== undefined && input.current && !form?.isUnsaved(name)) write(input.current, value);
		// The text is the same as long as the value is.
		// eslint-disable-next-line react-hooks/exhaustive-deps
	}, [form, name, text]);

	const common = {
		id,
		name,
		required: attributes.required,
		maxLength: attributes.maxLength,
		placeholder: attributes.placeholder,
		'aria-describedby': hint ? `${id}-hint ${id}-problem` : `${id}-problem`,
		'aria-invalid': problem === '' ? undefined : true,
		autocomplete: 'off',
		ref: (element: Input | null) => {
			input.current = element;
		},
		onInput: ({ currentTarget }: { currentTarget: Input }) => {
			setOwn('');
			form?.touch(name);
			onInput?.(currentTarget.value);
		},
	};
	const hintLine = hint !== undefined && (
		<p class="hint" id={`${id}-hint`}>
			{hint}
		</p>
	);
	const problemLine = (
		<p class="problem" id={`${id}-problem`} hidden={problem === ''}>
			{problem}
		</p>
	);
	if (kind === 'check') {
		return (
			<div class="field check">
				<div class="check-line">
					<input {...common} type="checkbox" />
					<label for={id}>{label}</label>
				</div>
				{hintLine}
				{problemLine}
			</div>
		);
	}
	return (
		<div class={wide ? 'field wide' : 'field'}>
			<label for={id}>{label}</label>
			{kind === 'select' ? (
				<select {...common}>{optionList(options)}</select>
			) : kind === 'area' ? (
				<textarea {...common} rows={3} />
			) : kind === 'lines' ? (
				<textarea {...common} rows={2} spellcheck={false} />
			) : kind === 'longUrl' ? (
				<textarea
					{...common}
					class="long-url"
					rows={1}
					inputMode="url"
					autocapitalize="none"
					spellcheck={false}
					onKeyDown={submitOnEnter}
				/>
			) : (
				<input
					{...common}
					type={kind === 'text' ? 'text' : TYPES[kind]}
					spellcheck={false}
					autocapitalize={attributes.inputMode === 'email' ? 'none' : undefined}
					inputMode={attributes.inputMode ?? (kind === 'number' ? 'decimal' : undefined)}
					min={attributes.min}
					max={attributes.max}
					step={attributes.step ?? (kind === 'number' ? 'any' : undefined)}
				/>
			)}
			{hintLine}
			{problemLine}
		</div>
	);
}

/** Submits the form with Enter, as in a field of one line. */
function submitOnEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
	if (event.key !== 'Enter') return;
	event.preventDefault();
	event.currentTarget.form?.requestSubmit();
}

function optionList(options: readonly Option[]) {
	const groups = [...new Set(options.map(({ group }) => group))];
	return groups.map((group) => {
		const members = options
			.filter((option) => option.group === group)
			.map(({ value, label }) => (
				<option key={value} value={value}>
					{label}
				</option>
			));
		return group === undefined ? (
			members
		) : (
			<optgroup key={group} label={group}>
				{members}
			</optgroup>
		);
	});
}

function isCheckbox(input: Input): input is HTMLInputElement {
	return input instanceof HTMLInputElement && input.type === 'checkbox';
}

function toText(value: FieldValue): string {
	return Array.isArray(value) ? value.join('\n') : String(value ?? '');
}

function write(input: Input, value: FieldValue): void {
	if (isCheckbox(input)) input.checked = value === true;
	// Writing the same text would move the cursor to its end.
	else if (input.value !== toText(value)) input.value = toText(value);
}

function readInput(input: Input, kind: FieldProps['kind'], empty: null | undefined): FieldValue {
	if (isCheckbox(input)) return input.checked;
	if (kind === 'lines') return linesOf(input.value);
	if (kind === 'area') return input.value === '' ? empty : input.value;
	const text = input.value.trim();
	if (text === '') return empty;
	return kind === 'number' ? Number(text) : text;
}

function linesOf(text: string): string[] {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
}

function snapshot({ input }: Control): string {
	return isCheckbox(input) ? String(input.checked) : input.value;
}

function valuesOf(controls: readonly Control[]): FormValues {
	const entries = controls.map((one) => [one.name, one.read()] as const);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Shows a field's error if its value is not valid. @returns whether it is valid */
function validate({ input, say }: Control): boolean {
	if (input.validity.valid) return true;
	if (input.validity.valueMissing) say('This field is empty. Fill it in.');
	else if (input.validity.badInput) say('This is not a number. Enter digits.');
	else say(input.validationMessage);
	return false;
}

/**
 * Shows each part of an error message beside the field that it names, and focuses the first.
 * @returns the parts that name none
 */
function showErrors(message: string, controls: readonly Control[]): string {
	const parts = message.split('; ').map((part) => ({
		part,
		about: controls.find(({ name }) => new RegExp(`^${name}[ :.]`).test(part)),
	}));
	for (const { part, about } of parts) {
		if (!about) continue;
		// The message names an item of a list by its index, counted from 0.
		const detail = part.slice(about.name.length).replace(/^\.(\d+)/, (_all, index) => `, line ${Number(index) + 1},`);
		about.say(about.label + detail);
	}
	controls.find((control) => parts.some(({ about }) => about === control))?.input.focus();
	return parts
		.filter(({ about }) => !about)
		.map(({ part }) => part)
		.join('; ');
}
