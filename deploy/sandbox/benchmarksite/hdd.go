package benchmarksite

func hardDrives() []part {
	var parts []part
	for _, lines := range [][]driveLine{desktopDrives(), serverDrives(), notebookDrives(), oldDrives()} {
		for _, line := range lines {
			parts = append(parts, line.parts()...)
		}
	}
	return parts
}

func desktopDrives() []driveLine {
	return []driveLine{
		{"WD", "Black (2020)", "10TB 8TB 6TB 4TB 2TB 1TB", "WD####FZBX", 112},
		{"WD", "Black (2013)", "4TB 3TB 2TB 1TB 500GB", "WD####FZEX", 94},
		{"WD", "Blue (2021)", "8TB 6TB 4TB 3TB 2TB 1TB", "WD##EZAX", 87},
		{"WD", "Blue (2012)", "6TB 4TB 3TB 2TB 1TB 500GB 320GB 250GB", "WD##EZEX", 81},
		{"WD", "Blue (2011)", "1TB 750GB 500GB 320GB 250GB 160GB", "", 66},
		{"WD", "Green (2010)", "3TB 2TB 1.5TB 1TB 500GB", "", 54},
		{"WD", "Purple (2017)", "12TB 10TB 8TB 6TB 4TB 3TB 2TB 1TB", "WD###PURZ", 79},
		{"WD", "AV-GP (2009)", "3TB 2TB 1TB 500GB 320GB", "", 48},
		{"WD", "VelociRaptor (2012)", "1TB 500GB 250GB", "", 99},
		{"Seagate", "Barracuda (2018)", "8TB 6TB 4TB 3TB 2TB 1TB 500GB", "ST####DM00#", 90},
		{"Seagate", "Barracuda (2016)", "4TB 3TB 2TB 1TB 500GB", "ST####DM0##", 84},
		{"Seagate", "Barracuda 7200.14 (2011)", "3TB 2TB 1.5TB 1TB 750GB 500GB 320GB 250GB", "", 76},
		{"Seagate", "Barracuda 7200.12 (2009)", "1TB 750GB 500GB 320GB 250GB 160GB", "", 61},
		{"Seagate", "Barracuda 7200.11 (2008)", "1.5TB 1TB 750GB 640GB 500GB 320GB", "", 53},
		{"Seagate", "Barracuda 7200.10 (2006)", "750GB 500GB 400GB 320GB 250GB 200GB 160GB 80GB", "", 39},
		{"Seagate", "Desktop SSHD (2013)", "4TB 2TB 1TB", "ST####DX001", 96},
		{"Seagate", "FireCuda SSHD (2016)", "2TB 1TB", "ST####DX002", 102},
		{"Seagate", "SkyHawk (2017)", "14TB 12TB 10TB 8TB 6TB 4TB 3TB 2TB 1TB", "ST####VX00#", 80},
		{"Toshiba", "P300 (2016)", "6TB 4TB 3TB 2TB 1TB 500GB", "HDWD##0UZSVA", 85},
		{"Toshiba", "X300 (2018)", "16TB 14TB 12TB 10TB 8TB 6TB 5TB 4TB", "HDWR###XZSTA", 106},
		{"Toshiba", "DT01ACA (2012)", "3TB 2TB 1TB 500GB", "", 83},
		{"Hitachi", "Deskstar 7K3000", "3TB 2TB 1.5TB", "", 71},
		{"Hitachi", "Deskstar 7K1000.C", "1TB 750GB 500GB 320GB 250GB 160GB", "", 60},
		{"Samsung", "SpinPoint F3", "1TB 500GB 320GB 250GB 160GB", "", 67},
		{"Samsung", "SpinPoint F1", "1TB 750GB 640GB 320GB 250GB", "", 56},
	}
}

func serverDrives() []driveLine {
	return []driveLine{
		{"WD", "Gold (2021)", "22TB 20TB 18TB 16TB 14TB 12TB 10TB 8TB 6TB 4TB 2TB 1TB", "WD###KRYZ", 127},
		{"WD", "Red Pro (2021)", "22TB 20TB 18TB 16TB 14TB 12TB 10TB 8TB 6TB 4TB 2TB", "WD###KFGX", 123},
		{"WD", "Red Plus (2020)", "14TB 12TB 10TB 8TB 6TB 4TB 3TB 2TB 1TB", "WD###EFZX", 98},
		{"WD", "Red (2012)", "6TB 5TB 4TB 3TB 2TB 1TB 750GB", "WD##EFRX", 77},
		{"WD", "Re (2013)", "6TB 5TB 4TB 3TB 2TB 1TB 500GB 250GB", "", 91},
		{"WD", "Ultrastar DC HC550", "18TB 16TB 14TB", "WUH####18ALE6L4", 125},
		{"HGST", "Ultrastar He10", "10TB 8TB", "HUH72###0ALE60#", 108},
		{"HGST", "Ultrastar 7K6000", "6TB 5TB 4TB 2TB", "", 93},
		{"HGST", "Deskstar NAS", "8TB 6TB 5TB 4TB 3TB", "", 97},
		{"Seagate", "Exos X18", "18TB 16TB 14TB 12TB 10TB", "ST####0NM0##J", 129},
		{"Seagate", "Exos 7E8", "8TB 6TB 4TB 3TB 2TB 1TB", "ST####NM0##A", 101},
		{"Seagate", "IronWolf Pro (2021)", "20TB 18TB 16TB 14TB 12TB 10TB 8TB 6TB 4TB 2TB", "ST####NE00#", 124},
		{"Seagate", "IronWolf (2018)", "12TB 10TB 8TB 6TB 4TB 3TB 2TB 1TB", "ST####VN00#", 103},
		{"Seagate", "NAS HDD (2013)", "8TB 6TB 4TB 3TB 2TB", "", 82},
		{"Seagate", "Constellation ES.3", "4TB 3TB 2TB 1TB", "", 88},
		{"Toshiba", "N300 (2021)", "18TB 16TB 14TB 12TB 10TB 8TB 6TB 4TB", "HDWG###UZSVA", 113},
		{"Toshiba", "MG08 (2019)", "16TB 14TB", "MG08ACA##TE", 121},
	}
}

func notebookDrives() []driveLine {
	return []driveLine{
		{"WD", "Black 2.5\" (2013)", "750GB 500GB 320GB 250GB", "WD####BPKX", 58},
		{"WD", "Blue 2.5\" (2014)", "2TB 1TB 750GB 500GB 320GB 250GB", "WD##SPZX", 50},
		{"WD", "Scorpio Blue 2.5\"", "1TB 750GB 640GB 500GB 320GB 250GB 160GB 120GB 80GB", "", 37},
		{"Seagate", "Barracuda 2.5\" (2016)", "5TB 4TB 3TB 2TB 1TB 500GB", "ST####LM0##", 55},
		{"Seagate", "FireCuda 2.5\" SSHD", "2TB 1TB 500GB", "ST####LX0##", 64},
		{"Seagate", "Momentus 7200.4 2.5\"", "500GB 320GB 250GB 160GB", "", 45},
		{"Seagate", "Momentus 5400.6 2.5\"", "500GB 320GB 250GB 160GB 120GB 80GB", "", 34},
		{"HGST", "Travelstar 7K1000 2.5\"", "1TB 750GB 500GB", "HTS72####A9E630", 62},
		{"HGST", "Travelstar 5K1000 2.5\"", "1TB 750GB 500GB", "HTS54####A9E680", 51},
		{"Hitachi", "Travelstar 5K500.B 2.5\"", "500GB 320GB 250GB 160GB 120GB", "", 35},
		{"Toshiba", "MQ04ABF 2.5\"", "2TB 1TB", "MQ04ABF#00", 49},
		{"Toshiba", "MQ01ABD 2.5\"", "1TB 750GB 500GB 320GB 250GB", "", 46},
		{"Samsung", "SpinPoint M8 2.5\"", "1TB 750GB 640GB 500GB 320GB 250GB", "", 44},
	}
}

func oldDrives() []driveLine {
	return []driveLine{
		{"Toshiba", "MK2555GSX", "250GB 160GB", "", 29},
		{"Fujitsu", "MHZ2320BH", "320GB 250GB 160GB 120GB 80GB", "", 28},
		{"Fujitsu", "MHY2160BH", "160GB 120GB 80GB", "", 23},
		{"Maxtor", "DiamondMax 10", "300GB 250GB 200GB 160GB 120GB 80GB", "", 26},
		{"Maxtor", "DiamondMax Plus 9", "200GB 160GB 120GB 80GB", "", 21},
		{"Quantum", "Fireball AS", "60GB 40GB 20GB", "", 13},
		{"IBM", "Deskstar 120GXP", "120GB 80GB 40GB", "", 17},
		{"Seagate", "Momentus 4200.2", "60GB 40GB", "", 12.4},
	}
}
