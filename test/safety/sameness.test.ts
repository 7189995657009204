// Known and unknown accounts, at commit size, each with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('sameness')
