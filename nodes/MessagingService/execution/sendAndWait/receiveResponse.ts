import type { IDataObject, IWebhookDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { respondedPage, closedPage, MAX_RESPONSE_CHARACTERS, questionPage } from './responsePage';
import { savedQuestion, type Question } from './question';
import { readResponseLink } from './resumeUrl';
import { questionRow } from './rows';
import { settlementOf } from './settlement';

/**
 * The webhooks for the link in a question: GET shows the page, POST submits the response. n8n checks the link's
 * signature.
 */
export const responseWebhooks: IWebhookDescription[] = (['GET', 'POST'] as const).map((httpMethod) => ({
	name: 'default',
	httpMethod,
	responseMode: 'onReceived',
	// Without it, n8n responds with its own text instead of the page.
	responseData: '',
	path: '={{ $nodeId }}',
	restartWebhook: true,
	isFullPath: true,
}));

/**
 * Handles a request to an approver's link. Only a POST with a response resumes the execution, with the messages' fields
 * and the response. Any other request gets a page and changes nothing.
 */
export function receiveResponse(context: IWebhookFunctions): IWebhookResponseData {
	const sent = savedQuestion(context);
	const link = readResponseLink(Object(context.getQueryData()) as object);
	const approver = sent && link && sent.run === link.run ? sent.approvers[link.approver] : undefined;
	if (!sent || !approver) return show(context, 410, closedPage(sent && link && settlementOf(context, sent, link)));
	const { question } = sent;
	const audience = sent.approvers.filter(({ asked }) => asked).length > 1 ? 'several' : 'one';
	if (context.getRequestObject().method !== 'POST') return show(context, 200, questionPage(question, audience));
	const response = readAnswer(question, Object(context.getBodyData()) as Posted);
	if ('problem' in response) return show(context, 422, questionPage(question, audience, response.problem));
	const { given, fields } = response;
	setHeaders(context);
	// The same shape as n8n's own nodes: workflows and n8n's Human Review read `data`.
	const data = { ...fields, approver: approver.to, respondedAt: new Date().toISOString() };
	const json: IDataObject = { ...questionRow(sent), timed_out: false, data };
	// n8n sends this page only after it resumed the execution, so the second of two responses does not get it.
	return {
		webhookResponse: respondedPage(question, given),
		workflowData: [[{ json, pairedItem: { item: 0 } }]],
	};
}

interface Posted {
	readonly answer?: unknown;
	readonly text?: unknown;
}

/** A valid response, or an error for the recipient. */
type ResponseType = { readonly given: string; readonly fields: IDataObject } | { readonly problem: string };

function readAnswer({ answer }: Question, posted: Posted): ResponseType {
	if (answer.kind === 'approval') {
		if (posted.answer === 'approve') return { given: answer.approveLabel, fields: { approved: true } };
		if (posted.answer === 'decline' && answer.declineLabel !== undefined) {
			return { given: answer.declineLabel, fields: { approved: false } };
		}
		return { problem: 'Press one of the buttons to answer.' };
	}
	const text = typeof posted.text === 'string' ? posted.text.trim() : '';
	if (text === '') return { problem: 'Write your answer first.' };
	if (text.length > MAX_RESPONSE_CHARACTERS) {
		return { problem: `Your answer is longer than ${MAX_RESPONSE_CHARACTERS} characters. Write a shorter one.` };
	}
	return { given: text, fields: { text } };
}

function show(context: IWebhookFunctions, status: number, html: string): IWebhookResponseData {
	setHeaders(context);
	context.getResponseObject().status(status).send(html);
	return { noWebhookResponse: true };
}

function setHeaders(context: IWebhookFunctions): void {
	const headers = {
		'Content-Type': 'text/html; charset=utf-8',
		// Anyone with an approver's link can respond, so the page must not be cached or leak its address.
		'Cache-Control': 'no-store',
		'Referrer-Policy': 'no-referrer',
		'X-Robots-Tag': 'noindex',
		'Content-Security-Policy':
			"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	};
	for (const [name, value] of Object.entries(headers)) context.getResponseObject().setHeader(name, value);
}
