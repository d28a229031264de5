import { readFileSync } from 'node:fs';
import { adminKeyFile } from '../admin-key.ts';
