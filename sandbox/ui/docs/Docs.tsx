import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../../../ui/Badge';
import { Card, Hint } from '../../../ui/Card';
import { Code } from '../../../ui/Code';
import { CopyButton } from '../../../ui/CopyButton';
import { CopyLine } from '../../../ui/CopyLine';
import { Problem } from '../../../ui/Problem';
import { type Column, Table } from '../../../ui/Table';
import { Toast } from '../../../ui/Toast';
import { curlOf, type Target } from './curl';
import { type ApiDocument, bodyOf, type Field, fieldsOf, type Operation, readDocument } from './document';

const { baseUrl = '', apiKey = '' } = document.body.dataset;

const columns: readonly Column<Field>[] = [
	{ title: 'Field', lead: true, draw: ({ name }) => <span class="code">{name}</span> },
	{ title: 'Type', draw: ({ type }) => type },
	{ title: 'Required', draw: ({ required }) => (required ? 'Yes' : 'No') },
	{ title: 'Meaning', wide: true, draw: ({ description }) => description },
];

/** The API of the service, from its OpenAPI document: every call and webhook with its fields and examples. */
export function Docs() {
	const [api, setApi] = useState<ApiDocument>();
	const [problem, setProblem] = useState('');
	useEffect(() => {
		readDocument().then(setApi, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
	}, []);
	// The call that the URL names is there only now.
	useEffect(() => {
		if (api) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
	}, [api]);
	return (
		<>
			<header>
				<a class="brand" href="/">
					<img src="ui/icon.svg" alt="" />
					<span>
						<strong>Messaging Service</strong>
						<small>Sandbox</small>
					</span>
				</a>
			</header>
			{api && <Contents api={api} />}
			<main id="main">
				<h1>API of the service</h1>
				<Problem id="problem" text={problem} />
				<Card title="Connect">
					<Hint>
						Send the key in the header X-API-Key, and each body as JSON. Other programs can read the{' '}
						<a href="/openapi.json">OpenAPI document</a>.
					</Hint>
					<CopyLine name="Base URL" value={baseUrl} />
					<CopyLine name="API key" value={apiKey} />
				</Card>
				{api && <Calls api={api} />}
			</main>
			<Toast />
		</>
	);
}

/** Each call of a document with its method and path. */
function callsOf({ paths }: ApiDocument) {
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
	);
}

function Contents({ api }: { readonly api: ApiDocument }) {
	const groups = [
		{ title: 'Calls', operations: callsOf(api).map(({ operation }) => operation) },
		{ title: 'Webhooks', operations: Object.values(api.webhooks).map(({ post }) => post) },
	];
	return (
		<nav aria-label="Contents">
			{groups.map(({ title, operations }) => (
				<div key={title}>
					<h2>{title}</h2>
					<ul class="plain-list">
						{operations.map(({ operationId, summary }) => (
							<li key={operationId}>
								<a href={`#${operationId}`}>{summary}</a>
							</li>
						))}
					</ul>
				</div>
			))}
		</nav>
	);
}

function Calls({ api }: { readonly api: ApiDocument }) {
	const target = { url: api.servers[0].url, apiKey };
	return (
		<>
			<h2 class="list-title">Calls</h2>
			{callsOf(api).map((call) => (
				<Call key={call.operation.operationId} {...call} target={target} />
			))}
			<h2 class="list-title">Webhooks</h2>
			<Hint>The service sends these to your URLs. Set the URLs in the dashboard, under Callbacks.</Hint>
			{Object.values(api.webhooks).map(({ post }) => (
				<section class="card" id={post.operationId} key={post.operationId}>
					<h3>{post.summary}</h3>
					<p class="code">{post.operationId}</p>
					<Fields operation={post} />
					<Example title="Body" name={`Body of ${post.operationId}`} value={bodyOf(post.requestBody)?.example} />
				</section>
			))}
		</>
	);
}

interface CallProps {
	readonly method: string;
	readonly path: string;
	readonly operation: Operation;
	readonly target: Target;
}

function Call({ method, path, operation, target }: CallProps) {
	const { operationId, summary, responses } = operation;
	const curl = curlOf(method, path, operation, target);
	const errors = Object.entries(responses).filter(([status]) => status !== '200');
	return (
		<section class="card" id={operationId}>
			<h3>{summary}</h3>
			<p class="code call">
				{method.toUpperCase()} {path}
			</p>
			<p>
				{operation['x-charges'] ? <Badge tone="busy">Costs money</Badge> : <Badge tone="good">Free</Badge>}{' '}
				{operation['x-repeat'] === 'once' && <Badge tone="plain">Not safe to repeat</Badge>}
			</p>
			<Fields operation={operation} />
			<h4>Try it</h4>
			<Code text={curl} name={`Command for ${operationId}`} />
			<p class="buttons">
				<CopyButton value={curl} what="the command" />
			</p>
			<Example title="Response" name={`Response of ${operationId}`} value={bodyOf(responses['200'])?.example} />
			<details>
				<summary>Errors</summary>
				<ul>
					{errors.map(([status, { description }]) => (
						<li key={status}>
							{status}: {description}
						</li>
					))}
				</ul>
			</details>
		</section>
	);
}

function Fields({ operation }: { readonly operation: Operation }) {
	const fields = fieldsOf(operation);
	if (fields.length === 0) return null;
	return (
		<Table
			caption={`Fields of ${operation.operationId}`}
			columns={columns}
			items={fields}
			keyOf={({ name }) => name}
			empty="None."
		/>
	);
}

function Example({ title, name, value }: { readonly title: string; readonly name: string; readonly value: unknown }) {
	if (value === undefined) return null;
	return (
		<>
			<h4>{title}</h4>
			<Code text={JSON.stringify(value, null, 2)} name={name} />
		</>
	);
}
