import { conformance } from '../conformance.ts';
import { harness } from './harness.ts';

conformance('fake', harness);
