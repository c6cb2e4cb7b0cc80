import { generate } from 'selfsigned';
import { writeFileSync } from 'node:fs';

/** A key and its certificate, in PEM. */
export interface Certificate {
	readonly key: string;
	readonly cert: string;
	/** The file of the certificate. */
	readonly file: string;
}

/**
 * Makes a certificate for the hosts, and writes it to a file. A program accepts it only if its `NODE_EXTRA_CA_CERTS` names
 * the file.
 */
export async function makeCertificate(hosts: readonly string[], file: string): Promise<Certificate> {
	const { private: key, cert } = await generate([{ name: 'commonName', value: 'Stand-ins of the tests' }], {
		keyType: 'ec',
		extensions: [
			{ name: 'basicConstraints', cA: true },
			{ name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2, value })) },
		],
	});
	writeFileSync(file, cert);
	return { key, cert, file };
}
