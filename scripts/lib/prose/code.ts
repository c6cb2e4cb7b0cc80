import ts from 'typescript';
import { htmlProse } from './html';
import { BREAK, PLACEHOLDER, type Prose } from './text';

/** Which texts of a source file are read: its strings by users; comments and test titles by its authors. */
export interface CodeOptions {
	readonly path: string;
	/** Set for a program whose strings reach users. */
	readonly readsStrings: boolean;
}

/** Properties that users read even if their value is a single word. */
const labels = new Set([
	'action',
	'description',
	'displayName',
	'header',
	'helpText',
	'hint',
	'label',
	'placeholder',
	'summary',
	'title',
]);

/** Attributes of a page's elements that users do not read. */
const technical = new Set(['class', 'd', 'href', 'src', 'viewBox']);

const sql =
	/^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|VACUUM|FROM|WHERE|AND|ORDER|RETURNING|VALUES|SET|ON)\b/;
/** Expressions of n8n, and scripts that are written in strings. */
const program = /^=\s*\{\{|=>|\brequire\(|\(\{|\bconst \w+ =|\bfunction\s*\w*\(/;
const titled = /^(it|test|describe)(\.|$)/;

/**
 * Reads the texts of a program: comments, test titles, and the strings that users see.
 *
 * @param source the file's text
 * @param options its path, and whether its strings reach users
 */
export function codeProse(source: string, { path, readsStrings }: CodeOptions): Prose[] {
	const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, scriptKind(path));
	const texts: Prose[] = [];
	/** The end of each literal by its start; a literal may look like a comment inside. */
	const literals = new Map<number, number>();
	const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;

	const visit = (node: ts.Node): void => {
		// The text of markup begins with its white space, and has no start of its own.
		const start = ts.isJsxText(node) ? node.pos : node.getStart(file);
		if (isLiteral(node) && node.end > start) literals.set(start, node.end);
		const name = declaredName(node);
		if (name) texts.push({ audience: 'name', line: lineOf(name.getStart(file)), text: splitName(name.text) });
		if (ts.isCallExpression(node)) {
			const title = testTitle(node, file);
			if (title) texts.push({ audience: 'code', line: lineOf(title.getStart(file)), text: readText(title) ?? '' });
		}
		if (readsStrings && ts.isExpression(node) && !isPartOfText(node) && !isName(node)) {
			const text = readText(node);
			if (text !== undefined) texts.push(...stringProse(node, text, lineOf(node.getStart(file))));
		}
		if (readsStrings && isJsxWithText(node) && !isJsxWithText(node.parent)) {
			texts.push({ audience: 'shown', line: lineOf(node.getStart(file)), text: jsxText(node) });
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return [...texts, ...commentProse(source, literals, lineOf)];
}

/**
 * Splits a name into words, in small letters.
 *
 * @param name a name in code, or of a file
 */
export function splitName(name: string): string {
	return name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.replace(/[_.-]+/g, ' ')
		.trim()
		.toLowerCase();
}

/** The name that a node declares; a property that only refers to another name declares none. */
function declaredName(node: ts.Node): ts.Identifier | undefined {
	const declares =
		ts.isVariableDeclaration(node) ||
		ts.isParameter(node) ||
		ts.isBindingElement(node) ||
		ts.isFunctionDeclaration(node) ||
		ts.isClassDeclaration(node) ||
		ts.isInterfaceDeclaration(node) ||
		ts.isTypeAliasDeclaration(node) ||
		ts.isPropertySignature(node) ||
		ts.isPropertyAssignment(node) ||
		ts.isPropertyDeclaration(node) ||
		ts.isMethodDeclaration(node) ||
		ts.isMethodSignature(node);
	return declares && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

function scriptKind(path: string): ts.ScriptKind {
	if (path.endsWith('.tsx')) return ts.ScriptKind.TSX;
	return /\.[cm]?js$/.test(path) ? ts.ScriptKind.JS : ts.ScriptKind.TS;
}

function isLiteral(node: ts.Node): boolean {
	return (
		ts.isStringLiteral(node) ||
		ts.isNoSubstitutionTemplateLiteral(node) ||
		ts.isJsxText(node) ||
		ts.isTemplateHead(node) ||
		ts.isTemplateMiddleOrTemplateTail(node) ||
		node.kind === ts.SyntaxKind.RegularExpressionLiteral
	);
}

/** Whether a node of a page's markup has text of its own, beside other elements. */
function isJsxWithText(node: ts.Node): node is ts.JsxElement | ts.JsxFragment {
	if (!ts.isJsxElement(node) && !ts.isJsxFragment(node)) return false;
	return node.children.some((child) => ts.isJsxText(child) && !child.containsOnlyTriviaWhiteSpaces);
}

/** Joins the text of an element and of the elements in it. */
function jsxText({ children }: ts.JsxElement | ts.JsxFragment): string {
	const parts = children.map((child) => {
		if (ts.isJsxText(child)) return child.text.replace(/\s+/g, ' ');
		if (ts.isJsxElement(child) || ts.isJsxFragment(child)) return jsxText(child);
		const value = ts.isJsxExpression(child) && child.expression ? readText(child.expression) : undefined;
		return value ?? PLACEHOLDER;
	});
	return parts.join('').replace(/ +/g, ' ').trim();
}

function testTitle(
	{ expression, arguments: given }: ts.CallExpression,
	file: ts.SourceFile,
): ts.Expression | undefined {
	const [title] = given;
	if (!title || readText(title) === undefined) return undefined;
	const called = ts.isCallExpression(expression) ? expression.expression : expression;
	return titled.test(called.getText(file)) ? title : undefined;
}

/** Reads a string, a template, or strings joined with `+`; undefined for anything else. */
function readText(node: ts.Expression): string | undefined {
	if (ts.isStringLiteral(node)) return node.text.replace(/\n+/g, BREAK);
	if (ts.isNoSubstitutionTemplateLiteral(node)) return breakLines(node.text);
	if (ts.isTemplateExpression(node)) {
		const rest = node.templateSpans.map(({ literal }) => PLACEHOLDER + literal.text);
		return breakLines(node.head.text + rest.join(''));
	}
	if (ts.isParenthesizedExpression(node)) return readText(node.expression);
	if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
		const [left, right] = [readText(node.left), readText(node.right)];
		if (left === undefined && right === undefined) return undefined;
		return (left ?? PLACEHOLDER) + (right ?? PLACEHOLDER);
	}
	return undefined;
}

const breakLines = (text: string) => text.replaceAll('\n', `${BREAK}\n`);

/** Whether a text is a part of a longer one, which is read as a whole. */
function isPartOfText(node: ts.Expression): boolean {
	const { parent } = node;
	if (ts.isParenthesizedExpression(parent)) return true;
	return (
		ts.isBinaryExpression(parent) &&
		parent.operatorToken.kind === ts.SyntaxKind.PlusToken &&
		readText(parent) !== undefined
	);
}

function isName(node: ts.Expression): boolean {
	const { parent } = node;
	return (
		ts.isImportDeclaration(parent) ||
		ts.isExportDeclaration(parent) ||
		ts.isLiteralTypeNode(parent) ||
		ts.isElementAccessExpression(parent) ||
		(ts.isJsxAttribute(parent) && technical.has(parent.name.getText())) ||
		((ts.isPropertyAssignment(parent) || ts.isEnumMember(parent)) && parent.name === node)
	);
}

function stringProse(node: ts.Expression, text: string, line: number): Prose[] {
	const key = propertyName(node);
	if (!/[A-Za-z]{2}/.test(text) || sql.test(text) || program.test(text)) return [];
	if (!/[\w›,.:]\s+[\w‹(]/.test(text) && !labels.has(key ?? '')) return [];
	const texts = /<\w+[^>]*>/.test(text) ? htmlProse(text, line) : [{ audience: 'shown' as const, line, text }];
	const isDescription = isFieldDescription(node, key);
	return texts.map((each) => ({ ...each, isDescription }));
}

function propertyName({ parent }: ts.Node): string | undefined {
	if (ts.isJsxAttribute(parent)) return parent.name.getText();
	return ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name) ? parent.name.text : undefined;
}

/** A field of n8n has `displayName`, `name` and `description`; one of Zapier has `key` and `helpText`. */
function isFieldDescription(node: ts.Expression, key: string | undefined): boolean {
	if (key === 'helpText') return true;
	const owner = node.parent.parent;
	if (key !== 'description' || !ts.isObjectLiteralExpression(owner)) return false;
	const names = owner.properties.map((property) => property.name?.getText());
	return names.includes('displayName') && names.includes('type');
}

function commentProse(source: string, literals: ReadonlyMap<number, number>, lineOf: (at: number) => number): Prose[] {
	const texts: Array<{ line: number; lastLine: number; text: string }> = [];
	for (const { start, end, isBlock } of findComments(source, literals)) {
		const line = lineOf(start);
		const text = commentText(source.slice(start + 2, isBlock ? end - 2 : end));
		const above = texts.at(-1);
		const isAlone = source.slice(source.lastIndexOf('\n', start) + 1, start).trim() === '';
		// Line comments below each other are one text.
		if (!isBlock && isAlone && above?.lastLine === line - 1) {
			above.text += `\n${text}`;
			above.lastLine = line;
		} else texts.push({ line, lastLine: isBlock ? NaN : line, text });
	}
	return texts.map(({ line, text }) => ({ audience: 'code', line, text }));
}

function* findComments(source: string, literals: ReadonlyMap<number, number>) {
	let at = 0;
	while (at < source.length) {
		const isBlock = source.startsWith('/*', at);
		if (isBlock || source.startsWith('//', at)) {
			const found = source.indexOf(isBlock ? '*/' : '\n', at + 2);
			const end = found < 0 ? source.length : found + (isBlock ? 2 : 0);
			yield { start: at, end, isBlock };
			at = end;
		} else at = literals.get(at) ?? at + 1;
	}
}

/** A comment without its stars, examples and markers of lint rules. Its lines stay. */
function commentText(comment: string): string {
	return comment
		.replace(/^\*/, '')
		.replace(/\n[ \t]*\* ?/g, '\n')
		.replace(/@example[\s\S]*?(?=\n@|$)/g, (match) => match.replace(/[^\n]/g, ''))
		.replace(/^\s*(eslint|prettier|@ts)-[^\n]*/g, '')
		.replace(/\n(?=@)/g, `${BREAK}\n`)
		.replace(/\{@link ([^}]*)\}/g, PLACEHOLDER)
		.replace(/@\w+( \{[^}]*\})?/g, '');
}
