// SPDX-License-Identifier: GPL-2.0
// What is on a Pi beside its pins, as far as a daemon can tell: spidev0.0, I2C bus 3 with an SSD1306 at 0x3c, and
// /proc/device-tree. In /sys/kernel/debug/header: spi (the newest message), spi_count, spi_fails, i2c_bytes, i2c_gone.
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/spi/spi.h>

static char *model = "Raspberry Pi 4 Model B Rev 1.1";
static char *compatible = "raspberrypi,4-model-b:brcm,bcm2711";
static uint revision = 0xc03111;
module_param(model, charp, 0444);
module_param(compatible, charp, 0444);
module_param(revision, uint, 0444);

static struct platform_device *device;
static struct spi_controller *spi;
static struct i2c_adapter i2c;
static struct proc_dir_entry *tree;
static struct dentry *debug;
static u8 message[65536];
static struct debugfs_blob_wrapper newest = { .data = message };
static u32 spi_count, spi_fails, i2c_bytes, i2c_gone;

static int spi_prepare(struct spi_controller *c, struct spi_message *m)
{
	newest.size = 0;
	spi_count++;
	return 0;
}

static int spi_transfer(struct spi_controller *c, struct spi_device *s, struct spi_transfer *t)
{
	size_t size = min_t(size_t, t->len, sizeof(message) - newest.size);

	if (spi_fails)
		return -EIO;
	if (t->tx_buf)
		memcpy(message + newest.size, t->tx_buf, size);
	newest.size += size;
	if (t->rx_buf)
		memset(t->rx_buf, 0, t->len);
	return 0;
}

static int i2c_transfer_all(struct i2c_adapter *a, struct i2c_msg *m, int many)
{
	int k;

	for (k = 0; k < many; k++) {
		if (i2c_gone || m[k].addr != 0x3c)
			return -ENXIO;
		usleep_range(23 * (m[k].len + 1), 23 * (m[k].len + 1) + 50);
		i2c_bytes += m[k].len;
	}
	return many;
}

static u32 i2c_can(struct i2c_adapter *a) { return I2C_FUNC_I2C; }
static const struct i2c_algorithm algorithm = { .master_xfer = i2c_transfer_all, .functionality = i2c_can };

static int show_model(struct seq_file *f, void *v) { seq_write(f, model, strlen(model) + 1); return 0; }
static int show_compatible(struct seq_file *f, void *v)
{
	char *c;

	for (c = compatible; *c; c++)
		seq_putc(f, *c == ':' ? 0 : *c);
	seq_putc(f, 0);
	return 0;
}
static int show_revision(struct seq_file *f, void *v)
{
	__be32 it = cpu_to_be32(revision);

	seq_write(f, &it, sizeof(it));
	return 0;
}

static int __init begin(void)
{
	struct spi_board_info info = { .modalias = "dh2228fv", .max_speed_hz = 125000000 };

	device = platform_device_register_simple("header", -1, NULL, 0);
	spi = spi_alloc_master(&device->dev, 0);
	spi->bus_num = 0;
	spi->num_chipselect = 1;
	spi->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_NO_CS;
	spi->bits_per_word_mask = SPI_BPW_MASK(8);
	spi->prepare_message = spi_prepare;
	spi->transfer_one = spi_transfer;
	if (spi_register_controller(spi) || !spi_new_device(spi, &info))
		pr_warn("header: no SPI\n");
	i2c.owner = THIS_MODULE;
	i2c.algo = &algorithm;
	i2c.nr = 3;
	i2c.dev.parent = &device->dev;
	strscpy(i2c.name, "header", sizeof(i2c.name));
	if (i2c_add_numbered_adapter(&i2c))
		pr_warn("header: no I2C\n");
	tree = proc_mkdir("device-tree", NULL);
	proc_create_single("model", 0444, tree, show_model);
	proc_create_single("compatible", 0444, tree, show_compatible);
	proc_create_single("linux,revision", 0444, proc_mkdir("system", tree), show_revision);
	debug = debugfs_create_dir("header", NULL);
	debugfs_create_blob("spi", 0444, debug, &newest);
	debugfs_create_u32("spi_count", 0444, debug, &spi_count);
	debugfs_create_u32("spi_fails", 0644, debug, &spi_fails);
	debugfs_create_u32("i2c_bytes", 0444, debug, &i2c_bytes);
	debugfs_create_u32("i2c_gone", 0644, debug, &i2c_gone);
	return 0;
}

static void __exit end(void)
{
	debugfs_remove_recursive(debug);
	proc_remove(tree);
	i2c_del_adapter(&i2c);
	spi_unregister_controller(spi);
	platform_device_unregister(device);
}

module_init(begin);
module_exit(end);
MODULE_DESCRIPTION("What is on the header of a Pi that is not here");
MODULE_LICENSE("GPL");
