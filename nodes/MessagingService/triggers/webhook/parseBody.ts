import type { IWebhookFunctions } from 'n8n-workflow';
import {
	bodyKind,
	MAX_BODY_BYTES,
	MAX_BODY_DEPTH,
	readBody,
	type BodyProblem,
	type ReadBody,
} from '../../../../shared/index';
import type { Rejection } from './rejection';

/** Reads the body that n8n has parsed. n8n does not read a multipart body. */
export function parseBody(context: IWebhookFunctions): ReadBody | Rejection {
	const contentType = context.getHeaderData()['content-type'] ?? '';
	const { rawBody } = context.getRequestObject();
	if (bodyKind(contentType) === 'multipart') return rejection({ problem: 'unsupported_type' }, 0);
	const bytes = Buffer.isBuffer(rawBody) ? rawBody : undefined;
	const read = readBody({ contentType, bytes, parsed: context.getBodyData() });
	return 'problem' in read ? rejection(read, bytes?.length ?? 0) : read;
}

/** @param size of the body, in bytes */
function rejection({ problem }: BodyProblem, size: number): Rejection {
	switch (problem) {
		case 'unsupported_type': {
			const message = 'Send JSON or a form (application/x-www-form-urlencoded)';
			return { status: 415, reason: 'neither JSON nor a form', message };
		}
		case 'unknown_charset': {
			const message = 'The character set is unknown, or the body is not in it. Send UTF-8';
			return { status: 415, reason: 'unknown character set', message };
		}
		case 'too_large': {
			const message = `The body has ${size} bytes, but at most ${MAX_BODY_BYTES} are accepted`;
			return { status: 413, reason: 'body too large', message };
		}
		case 'malformed':
		case 'not_an_object':
			return { status: 422, reason: 'body is not an object', message: 'Send one JSON object, or a form' };
		case 'too_deep': {
			const message = `The body is nested more than ${MAX_BODY_DEPTH} levels deep`;
			return { status: 422, reason: 'body nested too deep', message };
		}
	}
}
