import type { ControlResponses } from '../control/responses';
import { createClient } from '../../ui/request';

/** The sandbox's control routes. */
export const control = createClient<ControlResponses>({ base: '/_sandbox/' });
