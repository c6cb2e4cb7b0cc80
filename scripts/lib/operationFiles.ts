/** A new operation, as the command line gives it. */
export interface NewOperation {
	/** In camel case, such as `quote`. */
	readonly resource: string;
	/** In camel case, such as `get`. */
	readonly operation: string;
	readonly method: string;
	/** Such as `/quotes/{id}`. */
	readonly path: string;
	/** Whether its call may cost money or change something. */
	readonly once: boolean;
	/** The unit that it is charged by, such as `call`; undefined if it is free. */
	readonly charges: string | undefined;
}

/** New files by path, and lines to insert. */
export interface OperationFiles {
	readonly created: Readonly<Record<string, string>>;
	readonly edits: readonly Edit[];
}

/** Lines to insert into a file. */
export interface Edit {
	readonly path: string;
	readonly text: string;
	/** Matches the lines that may come after the text, in their order, with the key to sort by as first group. */
	readonly before: RegExp;
	/** Sorts the text among the matches. Without it, the text comes before the first match. */
	readonly key?: string;
}

const capital = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());
const split = (name: string, separator: string) => name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
const title = (name: string) =>
	split(name, ' ')
		.split(/[ _]/)
		.map((word) => (word === 'id' ? 'ID' : capital(word)))
		.join(' ');

/**
 * Reads the arguments of the command.
 * @throws Error that names the wrong argument
 */
export function readOperation(
	[id = '', method = '', path = '', ...more]: readonly string[],
	{ once = false, charges }: { readonly once?: boolean; readonly charges?: string },
): NewOperation {
	const [, resource, operation] = /^([a-z][a-zA-Z]*)\.([a-z][a-zA-Z]*)$/.exec(id) ?? [];
	if (!resource || !operation) throw new Error(`"${id}" is not a name such as quote.get, in camel case`);
	if (method !== 'GET' && method !== 'POST') throw new Error(`"${method}" is neither GET nor POST`);
	if (!/^(\/([a-z][a-z0-9-]*|\{[a-z][a-z0-9_]*\}))+$/.test(path))
		throw new Error(`"${path}" is not a path such as /quotes/{id}`);
	if (more.length > 0) throw new Error(`"${more.join(' ')}" is not expected after the path`);
	if (charges !== undefined && !/^[a-z][a-z_]*$/.test(charges))
		throw new Error(`"${charges}" is not a unit such as call`);
	if (charges !== undefined && !once) throw new Error('A call that costs money also needs --once');
	if (method === 'POST' && !once) throw new Error('A POST also needs --once');
	return { resource, operation, method, path, once, charges };
}

/** Writes the files of the recipe in CONTRIBUTING.md, not formatted. */
export function operationFiles(given: NewOperation): OperationFiles {
	const { resource, operation, method, path, once, charges } = given;
	const id = `${resource}.${operation}`;
	const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key);
	const keys = inPath.length > 0 ? inPath : ['reference'];
	const example = keys.map((key) => `${key}: '${key}_1'`).join(', ');
	const name = `${title(operation)} ${title(resource)}`;
	const stepName = `${operation}${capital(resource)}`;
	const stepKey = split(stepName, '_');
	const kind = once ? 'create' : 'search';
	const Kind = capital(kind);
	const steps = once ? 'creates' : 'searches';
	const cost = charges ? ' Costs money and cannot be undone.' : '';
	const thing = split(resource, ' ');
	const sentence = `${title(operation)} ${/^[aeiou]/.test(thing) ? 'an' : 'a'} ${thing}`;
	const errors = [
		'validation',
		...(charges ? ['insufficient_balance'] : []),
		...(inPath.length > 0 ? ['not_found'] : []),
	];
	const read = `{ ${keys.map((key) => `${key}: textInput(bundle.inputData.${key})`).join(', ')} }`;
	const contract = `import { z } from 'zod/v4';
import { endpoint } from './endpoint';

/** Endpoints of ${thing} (docs/api.md). */
export const ${resource} = {
	/** ${sentence}: ${method} ${path} (docs/api.md). */
	${operation}: endpoint({
		id: '${id}', method: '${method}', path: '${path}', summary: '${sentence}',
		input: z.object({ ${keys.map((key) => `${key}: z.string()`).join(', ')} }),
		output: z.looseObject({ ${keys.map((key) => `${key}: z.string()`).join(', ')} }),
		response: { kind: 'record' },
		repeat: '${once ? 'once' : 'safe'}', charges: ${charges ? `'${charges}'` : 'false'}, errors: ${JSON.stringify(errors)},
		example: { input: { ${example} }, output: { ${example} } },
	}),
} as const;
`;
	const handler = `import { contract } from '../../shared/contract';
import { handle, type Handlers } from './handler';

/** Endpoints of ${thing} (docs/api.md). */
export const ${resource}: Handlers['${resource}'] = {
	${operation}: handle(contract.${id}, ({ ${keys.join(', ')} }) => ({ ${keys.join(', ')} })),
};
`;
	const node = `import { contract } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { textParameter } from '../../host/parameters';
import { shownFor } from '../fields';

const displayOptions = shownFor('${resource}', '${operation}');

/** ${title(resource)} > ${title(operation)}. */
export const ${operation}: Operation = {
	option: { name: '${title(operation)}', value: '${operation}', action: '${sentence}', description: '${sentence}${cost && `.${cost}`}' },
	fields: [${keys.map((key) => `{ displayName: '${title(key)}', name: '${key}', type: 'string', default: '', required: true, placeholder: 'e.g. ${key}_1', description: '${title(key)} of the ${thing}', displayOptions }`).join(', ')}],
	prepare: (context, itemIndex) => makeCall(contract.${id}, { ${keys.map((key) => `${key}: textParameter(context, '${key}', itemIndex)`).join(', ')} }),
};
`;
	const zapier = `import { define${Kind}, defineInputFields, type PlainOutputField, type ${Kind}Perform } from 'zapier-platform-core';
import { contract } from '../../shared';
${charges ? "import { SEND_THROTTLE } from '../fields';\n" : ''}import { textInput } from '../runtime/inputs';
import { connect, ${once ? '' : 'emptyIfNotFound, '}runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([${keys.map((key) => `{ key: '${key}', label: '${title(key)}', type: 'string', required: true, helpText: '${title(key)} of the ${thing}.' }`).join(', ')}]);

const outputFields = [${keys.map((key) => `{ key: '${key}', label: '${title(key)}', type: 'string' }`).join(', ')}] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const called = connect(z, bundle).${id}(${read});
		${once ? 'return toOutput(outputFields, await called);' : 'return (await emptyIfNotFound(called)).map((found) => toOutput(outputFields, found));'}
	})) satisfies ${Kind}Perform<typeof inputFields>;

/** ${name} (docs/api.md). */
export const ${stepName} = define${Kind}({
	key: '${stepKey}', noun: '${title(resource)}',
	display: { label: '${name}', description: '${name}, as the service has it.' },
	operation: { inputFields, perform, ${charges ? 'throttle: SEND_THROTTLE, ' : ''}sample: toOutput(outputFields, contract.${id}.example.output), outputFields },
});
`;
	const local = `${operation}${capital(resource)}`;
	const index = 'nodes/MessagingService/operations/index.ts';
	const row = `	'${id}': { endpoint: contract.${id}, zapierStep: '${steps}.${stepKey}', parameters: { ${example} }, row: { ${example} }, wrong: { ${keys.map((key) => `${key}: wrongIds`).join(', ')} } },\n`;
	return {
		created: {
			[`shared/contract/${resource}.ts`]: contract,
			[`sandbox/handlers/${resource}.ts`]: handler,
			[`nodes/MessagingService/operations/${resource}/${operation}.ts`]: node,
			[`zapier/${steps}/${stepName}.ts`]: zapier,
		},
		edits: [
			importInto('shared/contract/index.ts', resource, `./${resource}`),
			{ path: 'shared/contract/index.ts', text: `\t${resource},\n`, before: /^\} as const satisfies/m },
			importInto('sandbox/handlers/index.ts', resource, `./${resource}`),
			{
				path: 'sandbox/handlers/index.ts',
				text: `, ${resource}`,
				before: /(?<=^const table: Handlers = \{[^}]*\w),?\s*\};$/m,
			},
			importInto(index, `${operation} as ${local}`, `./${resource}/${operation}`),
			{
				path: index,
				text: `\t${resource}: { ${operation}: ${local} },\n`,
				before: /^\t(\w+): \{ (?!name:)|^\} satisfies OperationTable/gm,
				key: resource,
			},
			{
				path: index,
				text: `\t${resource}: { name: '${title(resource)}', first: '${operation}' },\n`,
				before: /^\t(\w+): \{ name: |^\} satisfies \{/gm,
				key: resource,
			},
			importInto('zapier/app.ts', stepName, `./${steps}/${stepName}`),
			{
				path: 'zapier/app.ts',
				text: `\t\t[${stepName}.key]: ${stepName},\n`,
				before: once ? /^\t\t\.\.\.privateCreates/m : /^\t\},\n\tsearchOrCreates/m,
			},
			{ path: 'test/support/operationCases.ts', text: row, before: /^\t'([\w.]+)': \{|^\};/gm, key: id },
		],
	};
}

function importInto(path: string, names: string, from: string): Edit {
	return {
		path,
		text: `import { ${names} } from '${from}';\n`,
		before: /^import [^;]* from '(\.[^']*)';|^(?=\n\/\*\*|\nconst )/gm,
		key: from,
	};
}

/**
 * Inserts the text of an edit.
 * @throws Error if the file has no place for it
 */
export function applyEdit(source: string, { path, text, before, key }: Edit): string {
	const matches = key === undefined ? [before.exec(source)] : [...source.matchAll(before)];
	const after = (name: string | undefined) =>
		key === undefined || name === undefined || name.toLowerCase() > key.toLowerCase();
	const place = matches.find((match) => match && after(match[1]))?.index;
	if (place === undefined) throw new Error(`${path} has no place for ${text.trim()}`);
	return source.slice(0, place) + text + source.slice(place);
}
