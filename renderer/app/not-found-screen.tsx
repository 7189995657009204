// Owns the page for an address that leads nowhere.
import { Button } from '@mantine/core'
import { Page } from '../components/page.tsx'
import { t } from '../lib/strings.ts'

/** Says so and offers the way home. */
export function NotFoundScreen() {
  return (
    <Page title={t('notFound.title')} lead={t('notFound.lead')} width="narrow">
      <Button component="a" href="#/" mt="md" variant="default">
        {t('crash.home')}
      </Button>
    </Page>
  )
}
