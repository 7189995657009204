// The checks of the public listener at commit size, each with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('public-listener')
