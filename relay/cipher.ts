import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';

/** Encrypts secrets at rest. */
export interface Cipher {
	/** Encrypts a text, each time to another result. */
	seal(text: string): string;
	/**
	 * Decrypts a result of {@link Cipher.seal}.
	 * @throws Error if it was sealed with another key, or changed
	 */
	open(sealed: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a cipher, AES-256-GCM.
 * @param key any text; use at least 32 random characters
 */
export function createCipher(key: string): Cipher {
	// Node needs three times as long with the bytes of a key.
	const secret = createSecretKey(createHash('sha256').update(`relay-secrets:${key}`).digest());
	return {
		seal(text) {
			const nonce = randomBytes(NONCE_BYTES);
			const cipher = createCipheriv('aes-256-gcm', secret, nonce);
			const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
			return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
		},
		open(sealed) {
			const bytes = Buffer.from(sealed, 'base64');
			const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE_BYTES));
			decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
			return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
		},
	};
}
