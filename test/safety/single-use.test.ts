// What opens something once, at commit size, each with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('single-use')
