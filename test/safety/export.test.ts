// The check on exported files at commit size, with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('export')
