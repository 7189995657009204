// New versions of the program: looked for when the person asks or wants it daily, loaded when they say so, and put in
// place when the program has ended, after the host's last write.
import { dialog } from 'electron'
import type { AppUpdater } from 'electron-updater'
import type { Notifier } from '#main/index.ts'
import type { ShellWords } from './words.ts'

const dayMs = 86_400_000

/** Looks for new versions. */
export interface Updates {
  /** Looks once and goes on with the person's answers, in dialogs. */
  ask(): Promise<void>
  /** Whether it looks by itself, now and every day; a new version is told by a notice. */
  setDaily(isOn: boolean): void
}

/** What the updates need of the shell. */
export interface UpdateSurroundings {
  readonly current: string
  words(): ShellWords
  /** Raises a notice; a click asks on. */
  tell(notice: Parameters<Notifier>[0]): void
  quit(): void
}

/** Opens nothing and asks nobody until it is told to. */
export function createUpdates({ current, words, tell, quit }: UpdateSurroundings): Updates {
  let opened: Promise<AppUpdater> | undefined
  const updater = (): Promise<AppUpdater> => {
    opened ??= import('./program-updater.ts').then(({ openProgramUpdater }) => {
      const program = openProgramUpdater()
      // Each call is answered for itself; an error nobody listens to would end the program.
      program.on('error', () => {})
      return program
    })
    return opened
  }
  /** The version that waits for the end of the program. */
  let ready: string | undefined
  let told: string | undefined
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<void> | undefined

  const say = (text: string, version: string): string =>
    text.replaceAll('{version}', version).replaceAll('{current}', current)
  const question = async (message: string, detail: string, buttons: string[]): Promise<number> => {
    const { response } = await dialog.showMessageBox({ message, detail, buttons, cancelId: buttons.length - 1 })
    return response
  }
  /** The newer version there is; null when there is none, undefined when this copy cannot replace itself. */
  const newer = async (): Promise<string | null | undefined> => {
    const found = await (await updater()).checkForUpdates()
    if (found === null) return undefined
    return found.isUpdateAvailable ? found.updateInfo.version : null
  }

  const offer = async (): Promise<void> => {
    const text = words()
    try {
      if (ready === undefined) {
        const version = await newer()
        if (version === undefined)
          return void (await question(text.updateElsewhere, text.updateElsewhereDetail, ['OK']))
        if (version === null) return void (await question(say(text.updateNone, current), '', ['OK']))
        const buttons = [text.updateLoad, text.later]
        if ((await question(say(text.updateFound, version), say(text.updateFoundDetail, version), buttons)) !== 0)
          return
        await (await updater()).downloadUpdate()
        ready = version
      }
      const buttons = [text.updateInstall, text.later]
      if ((await question(say(text.updateReady, ready), text.updateReadyDetail, buttons)) === 0) quit()
    } catch (error) {
      const { firstLine } = await import('./program-updater.ts')
      await question(text.updateFailed, `${text.updateFailedDetail}\n\n${firstLine(error)}`, ['OK'])
    }
  }
  const ask = (): Promise<void> => {
    asking ??= offer().finally(() => {
      asking = undefined
    })
    return asking
  }
  const look = async (): Promise<void> => {
    try {
      const version = ready === undefined ? await newer() : undefined
      if (version === undefined || version === null || version === told) return
      told = version
      tell({ title: say(words().updateFound, version), body: words().updateFoundNotice })
    } catch {
      // The library has written it down, and tomorrow is another look.
    }
  }
  return {
    ask,
    setDaily: (isOn) => {
      if (isOn === (timer !== undefined)) return
      clearInterval(timer)
      timer = undefined
      if (!isOn) return
      timer = setInterval(() => void look(), dayMs)
      timer.unref()
      void look()
    },
  }
}
