import type { Endpoint } from '../../shared/contract/endpoint';
import { newId } from '../store/ids';
import type { SettingsValues } from '../store/settings';
import type { HttpError } from './httpError';
import { shapeFailure } from './shape';

/**
 * Writes a rejected call (404, 422) as a 200, in the shape of the settings.
 * @returns undefined if the HTTP status reports the rejection
 */
export function shapeRejection(
	{ id }: Endpoint,
	{ status, code, message }: HttpError,
	{ rejection_shape, error_shape }: Pick<SettingsValues, 'rejection_shape' | 'error_shape'>,
): unknown {
	if (rejection_shape === 'status' || (status !== 404 && status !== 422)) return undefined;
	switch (rejection_shape) {
		case 'success_false':
			return shapeFailure(code, message, error_shape);
		case 'wrapped':
			return { [id.split('.')[0] ?? id]: { success: false, id: newId('no'), error: message } };
		case 'row':
			return { success: true, results: [{ message_id: newId('no'), status: 'failed', error: message }] };
		case 'text':
			return { message };
	}
}
