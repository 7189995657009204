// Owns handing on the address of a page.
import { t } from './strings.ts'
import { showToast } from './toast.ts'

/** Copies the link to a page of the application and says so; where the clipboard is closed it shows the link instead. */
export async function copyLink(path: string): Promise<void> {
  const link = `${window.location.href.split('#')[0]}#${path}`
  try {
    await navigator.clipboard.writeText(link)
    showToast({ message: t('word.linkCopied'), tone: 'good' })
  } catch {
    showToast({ message: t('word.linkNotCopied', { link }), tone: 'bad' })
  }
}
