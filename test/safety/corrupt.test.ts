// Databases that are not as they were left, at commit size, with their twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('corrupt')
