/** `openNotifier`: delivers notifications in the background. A failed one is a line of warning, and does not delay or fail the run. */

import { runNotifyCommand } from './notify-command.js';
import { openWebhook, type WebhookOptions } from './webhook.js';
import type { Notification } from './when-to-notify.js';

export interface NotifyFlags {
  notify?: string;
  notifyCommand?: string;
}

export type NotifierOptions = Pick<WebhookOptions, 'secret' | 'now' | 'retryMs' | 'timeoutMs'> & {
  /** Gets the text of each warning. */
  warn: (text: string) => void;
};

/** Throws a `UsageError` for an invalid URL or secret. */
export function openNotifier({ notify, notifyCommand }: NotifyFlags, { warn, ...options }: NotifierOptions) {
  const webhook = notify === undefined ? undefined : openWebhook({ url: notify, ...options });
  const deliveries: Promise<void>[] = [];
  const deliver = (flag: string, { type }: Notification, delivery: Promise<void>) => {
    const reported = delivery.catch((error: Error) => warn(`${flag}: ${type} was not delivered: ${error.message}.`));
    deliveries.push(reported);
  };
  return {
    send(notification: Notification): void {
      if (webhook !== undefined) deliver('--notify', notification, webhook.send(notification));
      if (notifyCommand !== undefined) {
        deliver('--notify-command', notification, runNotifyCommand(notifyCommand, notification));
      }
    },
    /** Resolves when each notification has been delivered or has failed. */
    async finish(): Promise<void> {
      await Promise.all(deliveries);
      await webhook?.close();
    },
  };
}
