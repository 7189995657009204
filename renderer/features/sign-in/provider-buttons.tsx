// Owns the ways to sign in that lead to another site and back.
import { Button } from '@mantine/core'
import { IconBrandApple, IconBrandGithub, IconBrandGoogle, IconBrandWindows, IconBuilding } from '@tabler/icons-react'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { leaveForProvider } from './auth-requests.ts'
import type { Provider } from '../../lib/auth-config.ts'
import classes from './sign-in.module.css'

const signs = {
  apple: IconBrandApple,
  github: IconBrandGithub,
  google: IconBrandGoogle,
  microsoft: IconBrandWindows,
} as const

/** One button per provider that is on. */
export function ProviderButtons(props: { providers: readonly Provider[]; returnTo: string }) {
  const [busy, setBusy] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const leave = async (provider: Provider): Promise<void> => {
    setBusy(provider.id)
    setProblem(undefined)
    try {
      await leaveForProvider(provider, props.returnTo)
    } catch (error) {
      setProblem(problemText(error))
      setBusy(undefined)
    }
  }
  return (
    <div className={classes.providers} role="group" aria-label={t('signIn.providers')}>
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      {props.providers.map((provider) => {
        const Sign = signs[provider.id as keyof typeof signs] ?? IconBuilding
        return (
          <Button
            key={provider.id}
            variant="default"
            fullWidth
            leftSection={<Sign size={18} stroke={1.75} aria-hidden />}
            loading={busy === provider.id}
            onClick={() => void leave(provider)}
          >
            {t('signIn.with', { provider: provider.name })}
          </Button>
        )
      })}
    </div>
  )
}
