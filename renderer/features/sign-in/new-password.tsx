// Owns choosing a password: twice the same, as long as the host wants it.
import { PasswordField } from '../../components/password-field.tsx'
import type { FieldError } from '#shared/errors.ts'
import { ApiError } from '../../lib/api-error.ts'
import { fieldProblemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'

/** A password that is being chosen. */
export interface NewPassword {
  password: string
  repeat: string
}

/** Nothing chosen yet. */
export const noPassword: NewPassword = { password: '', repeat: '' }

/** How long passwords may be, in characters. */
export interface PasswordLimits {
  minPasswordLength: number
  maxPasswordLength: number
}

/** What is wrong with a choice, at which field; undefined when nothing is. */
export function passwordProblem(
  chosen: NewPassword,
  limits: PasswordLimits,
): { at: 'password' | 'repeat'; text: string } | undefined {
  const { minPasswordLength: min, maxPasswordLength: max } = limits
  if (chosen.password.length < min) return { at: 'password', text: t('reset.tooShort', { count: min }) }
  if (chosen.password.length > max) return { at: 'password', text: t('reset.tooLong', { count: max }) }
  if (chosen.repeat !== chosen.password) return { at: 'repeat', text: t('reset.differs') }
  return undefined
}

/** What the host says against a password; undefined when the failure is about something else. */
export function refusedPassword(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const problem: FieldError | undefined = error.fieldErrors.find(({ field }) => /password/i.test(field))
  return problem && fieldProblemText(problem, true)
}

/** The two fields. */
export function NewPasswordFields(props: {
  value: NewPassword
  limits: PasswordLimits
  problem: { at: 'password' | 'repeat'; text: string } | undefined
  autoFocus?: boolean
  onChange: (value: NewPassword) => void
}) {
  const { value, problem } = props
  return (
    <>
      <PasswordField
        label={t('word.newPassword')}
        kind="new-password"
        value={value.password}
        description={t('reset.length', { count: props.limits.minPasswordLength })}
        error={problem?.at === 'password' ? problem.text : undefined}
        autoFocus={props.autoFocus}
        onChange={(password) => props.onChange({ ...value, password })}
      />
      <PasswordField
        label={t('reset.repeat')}
        kind="new-password"
        value={value.repeat}
        error={problem?.at === 'repeat' ? problem.text : undefined}
        onChange={(repeat) => props.onChange({ ...value, repeat })}
      />
    </>
  )
}
