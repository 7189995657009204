// Owns what is shown when a screen throws while it is drawn: a sentence and two ways out instead of a blank page.
import { Button, Group } from '@mantine/core'
import { Component } from 'react'
import type { ReactNode } from 'react'
import { Page } from '../components/page.tsx'
import { navigate } from '../lib/hash-location.ts'
import { t } from '../lib/strings.ts'

interface Props {
  children: ReactNode
  /** A change of this, usually the path, gives the screen another chance. */
  resetKey: string
}

/** Catches errors of drawing below it. */
export class ErrorBoundary extends Component<Props, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidUpdate(previous: Props): void {
    if (previous.resetKey !== this.props.resetKey && this.state.error) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Page title={t('crash.title')} lead={t('crash.lead')} width="narrow">
        <Group mt="md">
          <Button onClick={() => window.location.reload()}>{t('crash.reload')}</Button>
          <Button
            variant="default"
            onClick={() => {
              navigate('/')
              this.setState({ error: undefined })
            }}
          >
            {t('word.goHome')}
          </Button>
        </Group>
        <details style={{ marginBlockStart: 24 }}>
          <summary>{t('crash.details')}</summary>
          <p>
            <code>{error.message}</code>
          </p>
        </details>
      </Page>
    )
  }
}
