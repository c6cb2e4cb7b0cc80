import { Badge } from './Badge';
import { Hint } from './Card';
import { Code, formatBody } from './Code';
import { Time } from './Time';

/** One attempt to deliver an HTTP request. */
export interface Attempt {
	readonly id: string | number;
	/** ISO 8601. */
	readonly at: string;
	/** The request's body, as it was sent. Undefined if it was not kept. */
	readonly request?: { readonly body: string; readonly content_type: string };
	/** Status of the response. Null if there was none. */
	readonly http_status: number | null;
	/** The response's body. Undefined if it was not kept. */
	readonly response?: string | null;
	/** Why the attempt failed. Null if it succeeded. */
	readonly problem: string | null;
	readonly milliseconds: number;
}

/** Properties of {@link Attempts}. */
export interface AttemptsProps {
	/** Oldest first. The list shows the newest first. */
	readonly attempts: readonly Attempt[];
}

/** The attempts to deliver a request, each with its response. */
export function Attempts({ attempts }: AttemptsProps) {
	if (attempts.length === 0) return <Hint>Not sent yet.</Hint>;
	return (
		<ol class="plain-list divided">
			{attempts.map((attempt, index) => <Row key={attempt.id} number={index + 1} attempt={attempt} />).reverse()}
		</ol>
	);
}

function Row({ number, attempt }: { readonly number: number; readonly attempt: Attempt }) {
	const { at, request, http_status, response, problem, milliseconds } = attempt;
	return (
		<li>
			<p class="attempt-head">
				<strong>{number}.</strong>
				<Badge tone={problem ? 'bad' : 'good'}>{http_status ?? 'no response'}</Badge>
				<Time at={at} />
				<span class="sub">{milliseconds} ms</span>
			</p>
			{problem && <p class="problem">{problem}</p>}
			{request && (
				<>
					<h4>Request, {request.content_type}</h4>
					<Code name={`Request ${number}`} text={formatBody(request.body, request.content_type)} />
				</>
			)}
			{response !== undefined && (
				<>
					<h4>Response</h4>
					{response ? (
						<Code name={`Response ${number}`} text={response} />
					) : (
						<Hint>{http_status === null ? 'No response.' : 'Empty body.'}</Hint>
					)}
				</>
			)}
		</li>
	);
}
