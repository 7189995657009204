// Sync: what devices that are hostile, shut out, wrong about the time or cut off cannot do.
import { describeChecks } from './describe-checks.ts'

await describeChecks('sync')
