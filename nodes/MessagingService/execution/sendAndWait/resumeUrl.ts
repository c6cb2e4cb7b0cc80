import type { IExecuteFunctions } from 'n8n-workflow';
import { InputError, isInIpRanges } from '../../../../shared/index';
import type { Session } from '../operation';

/** An approver's link, as it comes back in a request. */
export interface ResponseLink {
	/** The run of the node that asked. */
	readonly run: string;
	/** Index of the approver. */
	readonly approver: number;
}

/** Name of the link's parameter. Short, because each approver's message has the link. */
const PARAMETER = 'a';

/** Maximum length of an address in an error, in UTF-16 units. */
const LONGEST_SHOWN = 100;

/** Addresses that are not public (RFC 6890, RFC 4193), and IPv4 addresses written as IPv6. */
const OUT_OF_REACH = [
	...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
	...['::/127', '::ffff:0:0/96', 'fc00::/7', 'fe80::/10'],
];

/** Names that are valid in one network only (RFC 6761, RFC 6762, RFC 8375, and the name that ICANN reserved). */
const LOCAL_NAMES = ['localhost', 'local', 'localdomain', 'internal', 'lan', 'home.arpa'];

/**
 * Makes the response link of one approver. n8n builds it from its own public address, and signs it for this execution,
 * node, run and approver.
 * @param run the run of the node that asks. It distinguishes the question from earlier ones of the same execution
 * @param approver index of the approver
 */
export function responseUrl(context: IExecuteFunctions, run: string, approver: number): string {
	return context.getSignedResumeUrl({ [PARAMETER]: approver === 0 ? run : `${run}.${approver}` });
}

/** Reads the link of a request. n8n has checked its signature. */
export function readResponseLink(query: object): ResponseLink | undefined {
	const value: unknown = Object.entries(query).find(([name]) => name === PARAMETER)?.[1];
	const [, run, approver = '0'] = (typeof value === 'string' && /^(\d+)(?:\.(\d+))?$/.exec(value)) || [];
	return run === undefined ? undefined : { run, approver: Number(approver) };
}

/**
 * Checks a response link. With a sandbox key any address is fine, because the simulated phones are pages on the same
 * machine.
 * @returns an error if no phone could open the link, because the message would be charged for nothing
 */
export function unreachableLink(url: string, { sandbox }: Session): InputError | undefined {
	const { hostname, origin } = new URL(url);
	if (sandbox || !isOutOfReach(hostname)) return undefined;
	const message = `starts with ${origin.slice(0, LONGEST_SHOWN)}, which the recipient's phone cannot open. Set n8n's WEBHOOK_URL to its public address, e.g. https://n8n.example.com/ (without it, n8n uses N8N_PROTOCOL, N8N_HOST and N8N_PORT)`;
	return new InputError('node', [{ field: 'The response link', message }]);
}

/**
 * Whether a phone on the public network certainly cannot open a link to a host. The host is a private or local address,
 * or a name of one network, such as a container's `n8n`.
 * @param hostname the host name of a URL: in lower case, an IPv6 address in brackets
 */
export function isOutOfReach(hostname: string): boolean {
	if (hostname.startsWith('[')) return isInIpRanges(hostname.slice(1, -1), OUT_OF_REACH);
	const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
	if (!name.includes('.')) return true;
	return LOCAL_NAMES.some((local) => name.endsWith(`.${local}`)) || isInIpRanges(name, OUT_OF_REACH);
}
