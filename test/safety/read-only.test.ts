// Folders without the right to write, with their twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('read-only')
