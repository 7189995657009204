// The identity checks at commit size, each with its twin. CAIRN_LONG=1 guesses a thousand times at once.
import { describeChecks } from './describe-checks.ts'

await describeChecks('identity')
