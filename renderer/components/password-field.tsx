// Owns entering a password: hidden until asked for, and named so that password stores fill in the right one.
import { PasswordInput } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { t } from '../lib/strings.ts'

/** A field for a password. `kind` tells password stores whether to fill one in or to offer a new one. */
export function PasswordField(props: {
  label: string
  kind: 'current-password' | 'new-password'
  value: string
  onChange: (value: string) => void
  description?: ReactNode
  error?: ReactNode
  autoFocus?: boolean
  ref?: Ref<HTMLInputElement>
}) {
  return (
    <PasswordInput
      ref={props.ref}
      label={props.label}
      description={props.description}
      value={props.value}
      error={props.error}
      autoComplete={props.kind}
      autoFocus={props.autoFocus}
      data-autofocus={props.autoFocus || undefined}
      visibilityToggleButtonProps={{ 'aria-label': t('app.password.toggle', { field: props.label }), tabIndex: 0 }}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}
