package benchmarksite

func flashDrives() []part {
	var parts []part
	for _, lines := range [][]driveLine{fastSticks(), plainSticks(), slowSticks()} {
		for _, line := range lines {
			parts = append(parts, line.parts()...)
		}
	}
	return parts
}

func fastSticks() []driveLine {
	return []driveLine{
		{"SanDisk", "Extreme Pro USB 3.2", "1TB 512GB 256GB 128GB", "SDCZ880-%-G46", 148},
		{"Kingston", "DataTraveler Max USB 3.2", "1TB 512GB 256GB", "DTMAX/%", 139},
		{"Corsair", "Flash Voyager GTX USB 3.0", "1TB 512GB 256GB 128GB", "CMFVYGTX3-%", 104},
		{"Transcend", "ESD310 USB 3.2", "1TB 512GB 256GB", "TS%ESD310C", 129},
		{"Lexar", "JumpDrive P30 USB 3.2", "512GB 256GB 128GB", "LJDP30-%", 86},
		{"Corsair", "Flash Voyager GT USB 3.0", "128GB 64GB 32GB", "CMFVYGT3B-%", 62},
		{"SanDisk", "Extreme Pro USB 3.0", "256GB 128GB 64GB", "SDCZ88-%-G46", 81},
		{"SanDisk", "Extreme USB 3.0", "64GB 32GB 16GB", "SDCZ80-%-A46", 69},
		{"Patriot", "Supersonic Rage 2 USB 3.0", "512GB 256GB 128GB", "PEF%GSR2USB", 72},
		{"Patriot", "Supersonic Magnum USB 3.0", "256GB 128GB 64GB", "PEF%GSMNUSB", 66},
		{"Kingston", "HyperX Savage USB 3.1", "512GB 256GB 128GB 64GB", "HXS3/%", 64},
		{"Samsung", "Fit Plus USB 3.1", "256GB 128GB 64GB 32GB", "MUF-%AB", 52},
		{"Samsung", "Bar Plus USB 3.1", "256GB 128GB 64GB 32GB", "MUF-%BE", 50},
		{"Goodram", "UME3 USB 3.0", "256GB 128GB 64GB 32GB 16GB", "UME3-%0K0R11", 27},
		{"ADATA", "S102 Pro USB 3.0", "256GB 128GB 64GB 32GB 16GB", "AS102P-%-RGY", 41},
		{"PNY", "Turbo USB 3.0", "256GB 128GB 64GB 32GB", "P-FD%TBOP-GE", 34},
		{"Transcend", "JetFlash 780 USB 3.0", "256GB 128GB 64GB 32GB 16GB", "TS%JF780", 46},
		{"Lexar", "JumpDrive P20 USB 3.0", "128GB 64GB 32GB", "LJDP20-%CRBNA", 49},
	}
}

func plainSticks() []driveLine {
	return []driveLine{
		{"SanDisk", "Ultra USB 3.0", "512GB 256GB 128GB 64GB 32GB 16GB", "SDCZ48-%-U46", 31},
		{"SanDisk", "Ultra Fit USB 3.1", "256GB 128GB 64GB 32GB 16GB", "SDCZ430-%-G46", 29},
		{"SanDisk", "Ultra Flair USB 3.0", "256GB 128GB 64GB 32GB 16GB", "SDCZ73-%-G46", 33},
		{"Kingston", "DataTraveler Exodia USB 3.2", "256GB 128GB 64GB 32GB", "DTX/%", 24},
		{"Kingston", "DataTraveler 100 G3 USB 3.0", "256GB 128GB 64GB 32GB 16GB", "DT100G3/%", 22},
		{"Kingston", "DataTraveler SE9 G2 USB 3.0", "64GB 32GB 16GB", "DTSE9G2/%", 23},
		{"Kingston", "DataTraveler Ultimate 3.0 G2", "64GB 32GB 16GB", "", 38},
		{"Kingston", "DataTraveler R3.0 G2", "64GB 32GB 16GB", "", 28},
		{"Kingston", "DataTraveler Micro 3.1", "128GB 64GB 32GB 16GB", "", 30},
		{"Lexar", "JumpDrive S75 USB 3.0", "128GB 64GB 32GB 16GB", "LJDS75-%", 26},
		{"Lexar", "JumpDrive Fit USB 3.0", "128GB 64GB 32GB", "", 21},
		{"PNY", "Attache 3 USB 3.0", "128GB 64GB 32GB 16GB", "", 19},
		{"ADATA", "UV150 USB 3.0", "128GB 64GB 32GB 16GB", "AUV150-%-RBK", 20},
		{"ADATA", "UV128 USB 3.0", "128GB 64GB 32GB 16GB", "AUV128-%-RBE", 18},
		{"Toshiba", "TransMemory U301 USB 3.0", "128GB 64GB 32GB 16GB", "", 17},
		{"Toshiba", "TransMemory-EX II USB 3.0", "128GB 64GB 32GB", "", 56},
		{"Verbatim", "Store n Go V3 USB 3.0", "128GB 64GB 32GB 16GB 8GB", "", 16},
		{"Silicon Power", "Blaze B02 USB 3.1", "128GB 64GB 32GB 16GB", "", 18.6},
		{"Silicon Power", "Marvel M01 USB 3.0", "128GB 64GB 32GB 16GB", "", 25},
		{"Transcend", "JetFlash 700 USB 3.0", "128GB 64GB 32GB 16GB 8GB", "TS%JF700", 21.4},
		{"Transcend", "JetFlash 790 USB 3.0", "128GB 64GB 32GB 16GB 8GB", "TS%JF790K", 22.8},
		{"Sony", "Micro Vault USM USB 3.0", "64GB 32GB 16GB 8GB", "", 15},
		{"HP", "x755w USB 3.0", "64GB 32GB 16GB", "", 14.5},
		{"Integral", "Courier USB 3.0", "64GB 32GB 16GB", "", 13.8},
		{"Emtec", "C410 Color Mix", "64GB 32GB 16GB 8GB", "", 9.2},
		{"Goodram", "UTS3 Twister USB 3.0", "128GB 64GB 32GB 16GB 8GB", "UTS3-%0K0R11", 15.4},
	}
}

func slowSticks() []driveLine {
	return []driveLine{
		{"SanDisk", "Cruzer Glide", "256GB 128GB 64GB 32GB 16GB 8GB", "SDCZ60-%-B35", 8.8},
		{"SanDisk", "Cruzer Blade", "128GB 64GB 32GB 16GB 8GB 4GB", "SDCZ50-%-B35", 7.4},
		{"SanDisk", "Cruzer Fit", "64GB 32GB 16GB 8GB 4GB", "SDCZ33-%-B35", 6.6},
		{"SanDisk", "Cruzer Edge", "32GB 16GB 8GB 4GB 2GB", "", 6.1},
		{"SanDisk", "Cruzer Micro", "16GB 8GB 4GB 2GB 1GB", "", 4.9},
		{"Kingston", "DataTraveler 101 G2", "32GB 16GB 8GB 4GB 2GB", "", 6.8},
		{"Kingston", "DataTraveler G3", "32GB 16GB 8GB 4GB 2GB", "", 5.7},
		{"Kingston", "DataTraveler 2.0", "8GB 4GB 2GB 1GB", "", 3.9},
		{"Kingston", "DataTraveler SE9", "32GB 16GB 8GB", "", 7.1},
		{"Kingston", "DataTraveler Mini Slim", "8GB 4GB", "", 4.1},
		{"Lexar", "JumpDrive TwistTurn", "64GB 32GB 16GB 8GB 4GB", "", 5.4},
		{"Lexar", "JumpDrive FireFly", "16GB 8GB 4GB 2GB 1GB", "", 4.4},
		{"PNY", "Attache 2.0", "64GB 32GB 16GB 8GB 4GB", "", 5.1},
		{"PNY", "Micro Attache", "16GB 8GB 4GB", "", 4.2},
		{"Toshiba", "TransMemory", "32GB 16GB 8GB 4GB 2GB", "", 6.3},
		{"Verbatim", "PinStripe", "64GB 32GB 16GB 8GB 4GB", "", 4.7},
		{"Transcend", "JetFlash V30", "16GB 8GB 4GB 2GB 1GB", "", 3.6},
		{"Transcend", "JetFlash 300", "32GB 16GB 8GB 4GB 2GB", "", 4.6},
		{"ADATA", "C008", "32GB 16GB 8GB 4GB", "", 3.8},
		{"ADATA", "C906", "16GB 8GB 4GB", "", 3.3},
		{"Corsair", "Flash Survivor USB 2.0", "32GB 16GB 8GB 4GB", "", 8.1},
		{"Corsair", "Flash Voyager USB 2.0", "64GB 32GB 16GB 8GB 4GB", "", 7.8},
		{"OCZ", "Rally2", "32GB 16GB 8GB 4GB 2GB", "", 6.4},
		{"Patriot", "Xporter XT Boost", "64GB 32GB 16GB 8GB 4GB", "", 7.0},
		{"Sony", "Micro Vault Click", "16GB 8GB 4GB 2GB", "", 2.9},
		{"HP", "v165w", "32GB 16GB 8GB 4GB 2GB", "", 4.0},
		{"Memorex", "TravelDrive", "16GB 8GB 4GB 2GB 1GB", "", 2.4},
		{"Goodram", "UCO2 Colour", "64GB 32GB 16GB 8GB", "UCO2-%0KWR11", 5.9},
		{"Chipsbank", "Flash Disk 2.5\" Clone", "16GB 8GB 4GB", "", 1.9},
		{"Generic", "Flash Disk", "8GB 4GB 2GB 1GB", "", 1.4},
		{"Alcor", "Mini Key", "4GB 2GB 1GB 512MB", "", 0.93},
		{"Generic", "Promo Stick", "512MB 256MB", "", 0.42},
		{"Unknown", "Card Reader", "0GB", "", 0.0003},
	}
}
